import type { Backbone } from '../backbone.js';

/** In the file, so that the hash of an int8 or fp16 backbone stands for weights, ranges and preparation of pictures alike. */
export function metadataOf({ entry, identity }: Backbone): Record<string, string> {
  return {
    'unseen.quantised-from': identity.sha256 ?? '',
    'unseen.preprocessing': JSON.stringify(entry.preprocessing),
  };
}
