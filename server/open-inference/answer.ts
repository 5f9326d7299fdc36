/** From answers to the protocol's response: JSON, and behind it the outputs that were wanted as bytes. */
import type { ClassificationAtRevision } from '../inference/contract.js';
import type { ServedModel } from '../model/contract.js';
import { modelName, outputNames, type InferRequest, type InferResponse, type OutputName } from './schemas.js';
import { encodeElements } from './tensors.js';

export interface EncodedResponse {
  readonly json: InferResponse;
  /** In the order of the outputs that have no `data`; null when all of them have. */
  readonly bytes: Buffer | null;
}

export function encodeResponse(
  request: InferRequest,
  answers: readonly ClassificationAtRevision[],
  model: Pick<ServedModel, 'version'>,
): EncodedResponse {
  const contents = contentsOf(request, answers);
  const parts: Buffer[] = [];
  const wanted: InferRequest['outputs'] =
    request.outputs ?? outputNames.filter((name) => contents[name]).map((name) => ({ name }));
  const outputs = wanted.map(({ name, parameters }) => {
    const { datatype, data, shape } = contents[name] ?? nothing(answers.length);
    if (!(parameters?.binary_data ?? request.parameters.binary_data_output))
      return { name, datatype, shape: [...shape], data: [...data] };
    const bytes = encoded(datatype, data);
    parts.push(bytes);
    return { name, datatype, shape: [...shape], parameters: { binary_data_size: bytes.length } };
  });
  const json: InferResponse = {
    model_name: modelName,
    model_version: versionOf(model),
    ...(request.id !== undefined && { id: request.id }),
    parameters: {
      registry_revision: Math.min(...answers.map(({ revision }) => revision)),
      calibrated: answers.every(({ calibrated }) => calibrated),
    },
    outputs,
  };
  return { json, bytes: parts.length > 0 ? Buffer.concat(parts) : null };
}

interface Content {
  readonly datatype: 'BYTES' | 'FP32' | 'BOOL';
  readonly shape: readonly number[];
  readonly data: readonly (string | number | boolean)[];
}

/** Null for what the request does not ask for. */
function contentsOf(
  { parameters }: InferRequest,
  answers: readonly ClassificationAtRevision[],
): Readonly<Record<OutputName, Content | null>> {
  const lengths = answers.map(({ predictions }) => predictions.length);
  // A class added between two rows can make a later one longer, when more are wanted than there are.
  const columns = parameters.min_probability === undefined ? Math.min(...lengths) : Math.max(...lengths);
  const best = answers.flatMap(({ predictions }) => padded(predictions, columns, nobody));
  const scores = answers.map((answer) => answer.scores ?? []);
  const groups = answers.map(({ rollUp }) => rollUp?.groups ?? []);
  const scored = Math.min(...scores.map(({ length }) => length));
  const grouped = Math.max(...groups.map(({ length }) => length));
  const bestGroups = groups.flatMap((row) => padded(row, grouped, { group: '', probability: 0 }));
  const content = (datatype: Content['datatype'], width: number, data: Content['data']): Content => ({
    datatype,
    shape: [answers.length, width],
    data,
  }); // (n, k)
  const single = ({ probability }: { readonly probability: number }): number => Math.fround(probability);
  const isGrouped = parameters.group_by !== undefined;
  return {
    class: content(
      'BYTES',
      columns,
      best.map((prediction) => prediction.class),
    ),
    probability: content('FP32', columns, best.map(single)),
    seen: content(
      'BOOL',
      columns,
      best.map(({ seen }) => seen),
    ),
    // A model that was not measured for it has neither: an empty text, and -1.
    verdict: content(
      'BYTES',
      1,
      answers.map(({ verdict }) => verdict ?? ''),
    ),
    novelty: content(
      'FP32',
      1,
      answers.map(({ novelty }) => Math.fround(novelty ?? -1)),
    ),
    score: parameters.scores_of
      ? content(
          'FP32',
          scored,
          scores.flatMap((row) => row.slice(0, scored).map(single)),
        )
      : null,
    group: isGrouped
      ? content(
          'BYTES',
          grouped,
          bestGroups.map(({ group }) => group),
        )
      : null,
    group_probability: isGrouped ? content('FP32', grouped, bestGroups.map(single)) : null,
  };
}

/** An output that only says something with another parameter: clients ask for every output that there is. */
function nothing(rows: number): Content {
  return { datatype: 'FP32', shape: [rows, 0], data: [] };
}

const nobody = { class: '', probability: 0, seen: false };

/** The first `length` of them; where there are fewer, `filler` takes the places that are left. */
function padded<T>(row: readonly T[], length: number, filler: T): T[] {
  return Array.from({ length }, (_, k) => (k < row.length ? row[k] : filler));
}

function encoded(datatype: Content['datatype'], data: Content['data']): Buffer {
  if (datatype === 'BYTES') return encodeElements(data as string[]);
  return datatype === 'FP32'
    ? Buffer.from(Float32Array.from(data as number[]).buffer)
    : Buffer.from(data.map(Number));
}

/** Short enough for a URL, long enough to tell bundles apart; the same as in the metrics. */
export function versionOf({ version }: { readonly version: string }): string {
  return version.slice(0, 12);
}
