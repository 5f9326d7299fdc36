import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { Failure } from '../../core/failures.js';
import { whyNotOpened } from '../../core/why-not-opened.js';
import { configurationSchema, type Configuration } from '../configuration.js';
import { settingsProblems } from '../read-configuration.js';

/** Settings by their path ('generator.learningRate'), each with the values to try; every combination is one point. */
const gridSchema = z.record(z.string().min(1), z.array(z.json()).min(1));

export interface GridPoint {
  readonly index: number;
  /** The settings that differ from the given configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly configuration: Configuration;
}

export async function readGrid(path: string, base: Configuration): Promise<GridPoint[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Failure('config-invalid', `Cannot read the grid ${path}: ${whyNotOpened(error)}`, {
      cause: error,
    });
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure('config-invalid', `The grid ${path} is not JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  const parsed = gridSchema.safeParse(value);
  if (!parsed.success)
    throw new Failure(
      'config-invalid',
      `${path} is no grid; it must be like {"generator.learningRate": [0.001, 0.002]}:\n${z.prettifyError(parsed.error)}`,
    );
  return gridPoints(parsed.data, base, path);
}

/** In the order of the file, the last setting changing fastest. */
function gridPoints(
  grid: Readonly<Record<string, readonly unknown[]>>,
  base: Configuration,
  origin: string,
): GridPoint[] {
  const combinations = Object.entries(grid).reduce<Record<string, unknown>[]>(
    (points, [path, values]) =>
      points.flatMap((point) => values.map((value) => ({ ...point, [path]: value }))),
    [{}],
  );
  return combinations.map((settings, index) => {
    const changed = structuredClone(base) as Record<string, unknown>;
    for (const [path, value] of Object.entries(settings)) setAt(changed, path.split('.'), value);
    const parsed = configurationSchema.safeParse(changed);
    if (!parsed.success)
      throw new Failure(
        'config-invalid',
        `${origin} has settings that cannot work (${JSON.stringify(settings)}):\n${settingsProblems(parsed.error)}`,
      );
    return { index, settings, configuration: parsed.data };
  });
}

/** A section that is not there yet (transductive) is created; a misspelt name is then rejected by the schema. */
function setAt(target: Record<string, unknown>, [first, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  const inner = target[first];
  const section = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  target[first] = section;
  setAt(section, rest, value);
}
