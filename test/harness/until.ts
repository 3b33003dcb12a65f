const INTERVAL_MS = 10;

/**
 * Waits until the condition holds. After `boundMs`, fails with the name of the condition. The bound only ends a test
 * that would hang, so it is far longer than a busy machine needs.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'the condition',
  boundMs = 180_000,
): Promise<void> {
  const deadline = performance.now() + boundMs;
  while (!(await condition())) {
    if (performance.now() > deadline) {
      throw new Error(`${what} did not happen within ${boundMs / 1_000} seconds`);
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}
