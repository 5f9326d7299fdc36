/** The options of every command that writes a report: which pictures it shows. */
import type { Command } from 'commander';
import type { PictureOptions } from '../trainer/report/gather/pictures/pictures.js';
import { positive } from './numbers.js';

export interface ReportPictureOptions {
  readonly images?: string;
  readonly pictures: boolean;
  readonly picturesSize: number;
}

const defaultMegabytes = 4;

export function addPictureOptions(command: Command): Command {
  return command
    .option(
      '--images <directory>',
      'where the pictures of the dataset are, for the thumbnails of the report (default: where the dataset says)',
    )
    .option('--no-pictures', 'a report without pictures')
    .option(
      '--pictures-size <megabytes>',
      'what the thumbnails of a report may take together',
      positive,
      defaultMegabytes,
    );
}

/** Null: without pictures. */
export function picturesOf({ images, pictures, picturesSize }: ReportPictureOptions): PictureOptions | null {
  return pictures ? { images, maxBytes: picturesSize * 1e6 } : null;
}
