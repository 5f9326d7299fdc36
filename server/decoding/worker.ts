/** A process that decodes pictures, one at a time: what a picture does to the decoder's memory or life, it does here alone. */
import { blockOtherDecoders, decode } from '../../core/backbone/preprocess.js';
import { parentProcess } from '../../core/channel/processes.js';
import { SlotFile, slotsDescriptor } from '../../core/channel/shared-slots.js';
import { serveRequests } from '../../core/channel/serve.js';
import { withinMemory } from './memory-guard.js';
import type { DecoderRequests } from './protocol.js';

blockOtherDecoders();
const slots = new SlotFile(slotsDescriptor);

serveRequests<DecoderRequests>(parentProcess(), {
  start: () => undefined,
  decode: async ({ bytes, slot, name, preprocessing, limits, maxGrowth }) => {
    const pixels = await withinMemory(maxGrowth, () => decode(slots.get(bytes), name, preprocessing, limits));
    return pixels && slots.put(slot, pixels);
  },
});
