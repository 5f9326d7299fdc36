/** The least that any server must do before it is ready: load the runtime, open the network, run each batch size once. */
import { InferenceSession, Tensor } from 'onnxruntime-node';

const [file, threads, ...sizes] = process.argv.slice(2);
const session = await InferenceSession.create(file, { intraOpNumThreads: Number(threads) });
const [input] = session.inputMetadata;
const picture = (input.isTensor ? input.shape.slice(1) : []).map(Number);
const length = picture.reduce((product, side) => product * side, 1);
for (const size of sizes.map(Number))
  await session.run({
    [input.name]: new Tensor('float32', new Float32Array(size * length), [size, ...picture]),
  });
