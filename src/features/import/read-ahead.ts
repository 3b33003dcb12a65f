/**
 * Yields the same values, and requests the next value while the caller works on the current one, so
 * that reading a file and writing to a database overlap. Holds one more value in memory. Errors
 * keep their place in the order.
 */
export async function* readAhead<T>(values: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = values[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = iterator.next();
      // The loop throws this error when it reaches the value; this handler prevents an unhandled
      // rejection.
      next.catch(() => {});
      yield value;
    }
  } finally {
    // If the caller stops early, wait for the pending value, then close the iterator.
    await next.catch(() => {});
    await iterator.return?.();
  }
}
