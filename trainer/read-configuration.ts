import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { Failure } from '../core/failures.js';
import { didYouMean } from '../core/similar-names.js';
import { configurationSchema, type Configuration } from './configuration.js';
import { presets, type PresetName } from './presets.js';
import { whyNotOpened } from '../core/why-not-opened.js';

/** Defaults, over them a preset, over that a JSON file: the most specific wins, setting by setting. */
export async function readConfiguration(sources: {
  preset?: PresetName;
  file?: string;
}): Promise<Configuration> {
  const preset: unknown = sources.preset ? presets[sources.preset] : {};
  const given: unknown = sources.file ? await readJson(sources.file) : {};
  const parsed = configurationSchema.safeParse(merge(preset, given));
  if (!parsed.success) {
    const origin = sources.file ?? `preset ${sources.preset ?? ''}`;
    throw new Failure(
      'config-invalid',
      `${origin} has settings that cannot work:\n${settingsProblems(parsed.error)}`,
    );
  }
  return parsed.data;
}

/** A line for each. */
export function settingsProblems({ issues }: z.ZodError): string {
  return issues.flatMap(inWords).join('\n');
}

/** A misspelt setting with the one that may be meant: nothing is more usual. */
function inWords({ path, message, ...issue }: z.core.$ZodIssue): string[] {
  const place = path.join('.');
  if (issue.code !== 'unrecognized_keys') return [`  - ${place === '' ? '' : `${place}: `}${message}`];
  const known = path.reduce<unknown>(
    (section, key) => (isRecord(section) ? section[String(key)] : undefined),
    configurationSchema.parse({}),
  );
  return issue.keys.map(
    (key) =>
      `  - there is no setting ${[...path, key].join('.')}.${didYouMean(key, isRecord(known) ? Object.keys(known) : [])}`,
  );
}

async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new Failure('config-invalid', `Cannot read the configuration ${path}: ${whyNotOpened(error)}`, {
      cause: error,
    });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Failure('config-invalid', `${path} is not JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

function merge(base: unknown, over: unknown): unknown {
  if (!isRecord(base) || !isRecord(over)) return over ?? base;
  const keys = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, key in over ? merge(base[key], over[key]) : base[key]]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
