/** A process that decodes pictures, one at a time: what a picture does to the decoder's memory or life, it does here alone. */
import { blockOtherDecoders, decode } from '../../core/backbone/preprocess.js';
import { parentProcess } from '../../core/channel/processes.js';
import { serveRequests } from '../../core/channel/serve.js';
import type { DecoderRequests } from './protocol.js';

blockOtherDecoders();

serveRequests<DecoderRequests>(parentProcess(), {
  start: () => undefined,
  decode: ({ bytes, name, preprocessing, limits }) => decode(bytes, name, preprocessing, limits),
});
