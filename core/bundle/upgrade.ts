/**
 * Manifests of older formats, converted to the present one in memory; the file on disk is not changed.
 *
 *   1   what fitting a runtime class needs (syntheticWeight, syntheticSeen, residual, prior) was in `configuration.head`
 *   2   it is part of `head`, and `configuration` is information only. A program from before `head.temperature` could be
 *       null refuses a bundle in which it is, and names that field: such rows it would score wrongly
 */
import { z } from 'zod';
import { Failure } from '../failures.js';
import { bundleFormatVersion, headDescriptionSchema } from './manifest.js';

/** What version 1 kept in the trainer's configuration. */
const versionOneSchema = z.looseObject({
  configuration: z.object({
    head: headDescriptionSchema.pick({
      syntheticWeight: true,
      syntheticSeen: true,
      residual: true,
      prior: true,
    }),
  }),
  head: z.looseObject({}),
});

/** The manifest in the present format, yet to be checked against its schema. `path` is for messages. */
export function upgradeManifest(path: string, manifest: unknown): unknown {
  const version = (manifest as { formatVersion?: unknown } | null)?.formatVersion;
  if (version === bundleFormatVersion) return manifest;
  if (version === 1) return fromVersionOne(path, manifest);
  throw new Failure(
    'bundle-invalid',
    `The bundle at ${path} has format version ${String(version)}, and this program reads versions 1 to ${bundleFormatVersion}. ` +
      'Use the version of unseen that made it, or a newer one.',
  );
}

function fromVersionOne(path: string, manifest: unknown): unknown {
  const read = versionOneSchema.safeParse(manifest);
  if (!read.success) {
    const [first] = read.error.issues;
    throw new Failure(
      'bundle-invalid',
      `The bundle at ${path} has format version 1 and cannot be upgraded: its manifest is wrong at ` +
        `${first.path.join('.')}: ${first.message}. Make it again with this version: unseen train --data DATASET --out DIRECTORY`,
    );
  }
  const { configuration, head } = read.data;
  return {
    ...(manifest as object),
    formatVersion: bundleFormatVersion,
    head: { ...head, ...configuration.head },
  };
}
