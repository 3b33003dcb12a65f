/**
 * The same values, but the next one is already being made while the last is worked on: reading a file
 * and waiting for a database go on together. Holds one value more in memory. Errors come in their place.
 */
export async function* readAhead<T>(values: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = values[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = iterator.next();
      // Told when it is its turn.
      next.catch(() => {});
      yield value;
    }
  } finally {
    // Whoever stops early waits for what is under way, and closes what it reads.
    await next.catch(() => {});
    await iterator.return?.();
  }
}
