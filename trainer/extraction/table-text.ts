/** The text of a table, in whichever of the encodings of spreadsheets it was saved. */
import { Failure } from '../../core/failures.js';

/** 0x80 to 0x9f in windows-1252; TextDecoder of Node 20 takes them for control characters. Empty: not used. */
const windowsCharacters = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

export function tableText(bytes: Buffer, path: string): string {
  const starts = (...start: number[]): boolean => start.every((byte, i) => bytes[i] === byte);
  const isZip = starts(0x50, 0x4b, 3, 4);
  if (isZip || starts(0xd0, 0xcf, 0x11, 0xe0))
    throw new Failure(
      'dataset-invalid',
      `${path} is a spreadsheet (${isZip ? 'such as .xlsx or .ods' : '.xls'}), not a CSV file. Open it, choose "Save As", the type "CSV UTF-8", and name that file instead.`,
    );
  if (starts(0xff, 0xfe)) return new TextDecoder('utf-16le').decode(bytes);
  if (starts(0xfe, 0xff)) return new TextDecoder('utf-16be').decode(bytes);
  // UTF-16 without a byte order mark: every other byte of Latin letters is 0.
  if (bytes[0] !== 0 && bytes[1] === 0 && bytes[3] === 0) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0 && bytes[1] !== 0 && bytes[2] === 0) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.includes(0))
    throw new Failure(
      'dataset-invalid',
      `${path} is not a text file, so it cannot be a table. Name a CSV file.`,
    );
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes); // without its byte order mark
  } catch {
    return windowsText(bytes); // what Excel's plain "CSV" is on Western systems
  }
}

function windowsText(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (letter) => windowsCharacters[letter.charCodeAt(0) - 0x80].trim());
}

/** The line in which a double quote is opened that is not closed again. */
export function lineOfOpenQuote(text: string): number {
  const lines = text.split(/\r\n|\r|\n/);
  return 1 + lines.findIndex((line) => line.split('"').length % 2 === 0);
}
