/** The content of one commit of the durability check, and whether the store has all of it. */
import type {
  RegistryCommit,
  ClassStore,
  ExampleContent,
  StoredClass,
} from '../../server/classes/store/contract.js';

export const bundle = 'durability';
const classesPerBatch = 3;
const width = 512; // a few pages of the file: a commit that could be torn

const keyOf = (run: string, number: number): string => `${run}-${number}`;

/** Several classes, a row for each, an example of each, an idempotency key, and a marker that replaces the previous one. */
export function batchOf(run: string, number: number): RegistryCommit {
  const names = Array.from({ length: classesPerBatch }, (_, i) => `${keyOf(run, number)}-${i}`);
  const weights = new Float32Array(width).fill(number + 0.5);
  const marker = { name: `marker-${keyOf(run, number)}`, attributes: { number } };
  return {
    upserts: [...names.map((name) => ({ name, attributes: { number } })), marker],
    ...(number > 0 && { removals: [`marker-${keyOf(run, number - 1)}`] }),
    rows: { bundle, rows: names.map((name) => ({ name, weights, bias: number })) },
    examples: { added: names.map((name) => exampleOf(name, number)), removed: [] },
    remember: { key: keyOf(run, number), requestHash: run, answer: number },
  };
}

function exampleOf(name: string, number: number): ExampleContent {
  const features = new Uint16Array(width).fill(number % 1000);
  return { name, id: `of ${name}`, backbone: 'none', features, createdAt: number, createdBy: null };
}

type FoundPart = 'whole' | 'half' | 'absent';

export async function findBatch(
  store: ClassStore,
  classes: ReadonlyMap<string, StoredClass>,
  examples: ReadonlyMap<string, ExampleContent>,
  run: string,
  number: number,
): Promise<FoundPart> {
  const whole: boolean[] = [];
  const present: boolean[] = [];
  for (let i = 0; i < classesPerBatch; i++) {
    const name = `${keyOf(run, number)}-${i}`;
    const found = classes.get(name);
    const example = examples.get(`of ${name}`);
    present.push(found !== undefined, example !== undefined);
    whole.push(example?.name === name && example.features.every((half) => half === number % 1000));
    whole.push(found?.row?.bias === number && found.row.weights.every((value) => value === number + 0.5));
  }
  const remembered = await store.recall(keyOf(run, number));
  present.push(remembered !== null);
  whole.push(remembered?.answer === number);
  // The next batch removes this one's marker: it must exist until then, and not one commit longer.
  const isLast = !classes.has(`${keyOf(run, number + 1)}-0`);
  whole.push(classes.has(`marker-${keyOf(run, number)}`) === isLast);
  if (!present.some(Boolean)) return 'absent';
  return whole.every(Boolean) ? 'whole' : 'half';
}
