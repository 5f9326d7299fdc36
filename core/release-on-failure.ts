/** The result of the work, whose owner then releases what it holds; when the work fails, that is released at once. */
export async function releaseOnFailure<T>(
  release: () => void | Promise<void>,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await release();
    throw error;
  }
}
