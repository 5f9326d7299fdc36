/** 1 where both are zero; 0 where one is, or a value is not finite. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let [product, sizeA, sizeB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    product += a[i] * b[i];
    sizeA += a[i] ** 2;
    sizeB += b[i] ** 2;
  }
  if (sizeA === 0 && sizeB === 0) return 1;
  return product / Math.sqrt(sizeA * sizeB) || 0;
}
