import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { Failure } from '../core/failures.js';
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
      `${origin} has settings that cannot work:\n${z.prettifyError(parsed.error)}`,
    );
  }
  return parsed.data;
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
