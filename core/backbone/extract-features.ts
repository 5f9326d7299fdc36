import { matrix, type Matrix } from '../matrix.js';
import { silent, type Watcher } from '../progress.js';
import { openBackbone, type Backbone } from './backbone.js';
import type { ExtractorOptions } from './extractor.js';
import type { BackboneIdentity } from './identity.js';
import { featuresOf, type PictureInput, type PictureProblem } from './pipeline.js';
import type { PictureLimits } from './preprocess.js';
import { ThreadedExtractor } from './threaded-extractor.js';

interface ExtractFeaturesOptions extends ExtractorOptions {
  /** By catalogue name, or opened already; the catalogue's default when left out. */
  readonly backbone?: string | Backbone;
  readonly limits?: PictureLimits;
  readonly watcher?: Watcher;
}

interface ExtractedFeatures {
  readonly features: Matrix; // (pictures, featureWidth); zeros where there is a problem
  readonly problems: readonly PictureProblem[];
  readonly identity: BackboneIdentity;
}

/** The features of pictures that fit into memory: paths, or the bytes of JPEG, PNG or WebP files. */
export async function extractFeatures(
  images: readonly (string | Uint8Array | PictureInput)[],
  options: ExtractFeaturesOptions = {},
): Promise<ExtractedFeatures> {
  const { watcher = silent, limits, backbone: chosen, ...session } = options;
  const backbone = typeof chosen === 'object' ? chosen : await openBackbone(chosen, watcher);
  const { featureWidth, preprocessing } = backbone.entry;
  const pictures = images.map((image, index) => asInput(image, index));
  const features = matrix(pictures.length, featureWidth);
  const problems: PictureProblem[] = [];
  const source = await ThreadedExtractor.open(backbone, session);
  const progress = watcher.progress('Extracting features', pictures.length);
  try {
    const batches = featuresOf(pictures, source, {
      preprocessing,
      signal: watcher.signal,
      ...(limits && { limits }),
    });
    for await (const batch of batches) {
      features.data.set(batch.features.data, batch.start * featureWidth);
      for (const problem of batch.problems) {
        problems.push(problem);
        features.data.fill(0, problem.index * featureWidth, (problem.index + 1) * featureWidth);
      }
      progress.update(batch.start + batch.features.rows);
    }
  } finally {
    progress.stop();
    await source.close();
  }
  return { features, problems, identity: backbone.identity };
}

function asInput(image: string | Uint8Array | PictureInput, index: number): PictureInput {
  if (typeof image === 'string') return { name: image, content: image };
  return image instanceof Uint8Array ? { name: `picture ${index + 1}`, content: image } : image;
}
