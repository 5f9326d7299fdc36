import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { Failure } from '../failures.js';
import { sha256Of } from '../hash.js';
import { whyNotOpened } from '../why-not-opened.js';
import { keepBackbone } from './backbone.js';
import { backboneEntrySchema, checkOwnName, type BackboneEntry, type Catalogue } from './catalogue.js';
import { adaptOnnx } from './own-onnx.js';
import type { Preprocessing } from './picture-tensor.js';

interface OwnBackbone {
  readonly name: string;
  readonly file: string;
  readonly featureLayer?: string;
  readonly licence?: string;
  /** Layout comes from the graph, and so does the size where the graph fixes it. */
  readonly preprocessing: Omit<Preprocessing, 'layout' | 'width' | 'height'>;
  readonly width?: number;
  readonly height?: number;
}

/** Adapts a user's ONNX file, tries it, and keeps it under a name of its own. */
export async function addBackbone(catalogue: Catalogue, own: OwnBackbone): Promise<BackboneEntry> {
  const { name, file, width, height, featureLayer } = own;
  checkOwnName(catalogue, name);
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new Failure('backbone-unavailable', `Cannot open ${file}: ${whyNotOpened(error)}`, {
      cause: error,
    });
  });
  const adapted = await adaptOnnx(bytes, file, {
    ...(featureLayer !== undefined && { featureLayer }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
  });
  const { layout, fixedBatch, featureWidth } = adapted;
  const parsed = backboneEntrySchema.safeParse({
    name,
    description: 'Added from a file.',
    source: { kind: 'file', file: resolve(file), sha256: sha256Of(bytes), format: 'onnx' },
    licence: own.licence ?? 'not given',
    preprocessing: { ...own.preprocessing, layout, width: adapted.width, height: adapted.height },
    featureLayer: adapted.featureLayer,
    featureWidth,
    fixedBatch,
    sha256: sha256Of(adapted.model),
  });
  if (!parsed.success)
    throw new Failure('usage', `The backbone cannot be added:\n${z.prettifyError(parsed.error)}`);
  await keepBackbone(catalogue, parsed.data, adapted.model);
  return parsed.data;
}
