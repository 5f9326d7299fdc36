import { writeDirectory } from '../atomic-directory.js';
import { toHalf } from '../half.js';
import { bytesOf, sha256Of } from '../hash.js';
import type { BundleContent } from './bundle.js';
import { stackedExamples } from './examples-file.js';
import { bundleFormatVersion, manifestSchema, type Manifest } from './manifest.js';

/**
 * Writes a bundle atomically. `verify` sees the finished files before they are published, and throws to refuse them.
 */
export async function writeBundle(
  target: string,
  content: BundleContent,
  options: { verify?: (path: string) => Promise<void> } = {},
): Promise<void> {
  const files: Record<string, Uint8Array> = {
    'features.onnx': content.featureMap,
    'generator.onnx': content.generator,
    'predictor.onnx': content.predictor,
    'head-weights.f32': bytesOf(content.weights.data),
    'head-bias.f32': bytesOf(content.bias),
    'replay-features.f16': bytesOf(toHalf(content.replay.features.data)),
    'replay-labels.i32': bytesOf(content.replay.labels),
    ...(content.examples.size > 0 && { 'examples.f16': bytesOf(toHalf(stackedExamples(content).data)) }),
    ...(content.novelty && { 'novelty.f16': bytesOf(toHalf(content.novelty.data)) }),
    ...(content.deviations && { 'deviations.f16': bytesOf(toHalf(content.deviations.data)) }),
  };
  const manifest: Manifest = manifestSchema.parse({
    formatVersion: bundleFormatVersion,
    producer: 'unseen',
    ...content.description,
    files: Object.fromEntries(
      Object.entries(files).map(([name, bytes]) => [name, { bytes: bytes.length, sha256: sha256Of(bytes) }]),
    ),
  });
  const text = JSON.stringify(manifest, null, 1);
  await writeDirectory(
    target,
    { ...files, 'manifest.json': text, 'manifest.sha256': `${sha256Of(text)}\n` },
    {
      ...(options.verify ? { beforePublishing: options.verify } : {}),
    },
  );
}
