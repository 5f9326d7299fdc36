/**
 * Measures the ranges of an int8 backbone of the catalogue anew: node scripts/calibration/make-ranges.js FOLDER > FILE
 * FOLDER holds the pictures that fetch-pictures.sh fetches; FILE is models/resnet50-imagenet-int8.ranges.json. Build first.
 */
import { openBackbone } from '../../dist/core/backbone/backbone.js';
import { measureRanges } from '../../dist/core/backbone/quantisation/quantise-backbone.js';
import { silent } from '../../dist/core/progress.js';

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('Usage: node scripts/calibration/make-ranges.js FOLDER > FILE');
  process.exit(2);
}
const watcher = { ...silent, note: console.error };
const float = await openBackbone('resnet50-imagenet', watcher);
const { ranges, pictures } = await measureRanges(float, folder, Infinity, watcher);
console.error(`${pictures.length} pictures, ${Object.keys(ranges).length} ranges`);
console.log(JSON.stringify({ pictures: pictures.length, ranges }, null, 2));
