/**
 * onnxruntime-node's install script would fetch CUDA libraries from another host on every Linux machine; the CPU binaries are in its package. Setting
 * its own option in .npmrc works, but npm warns of options that it does not know. So the one package that the script loads before it reads its
 * options is replaced by this (`devDependencies` in package.json): nothing is fetched unless ONNXRUNTIME_NODE_INSTALL asks for it.
 */
exports.bootstrap = () => {
  globalThis.process.env.ONNXRUNTIME_NODE_INSTALL ??= 'skip';
};
