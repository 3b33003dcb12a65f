const INTERVAL_MS = 10;
const MOST_MS = 250;

/**
 * Waits until the condition holds. After `boundMs`, fails with the name of the condition. The bound only ends a test
 * that would hang, so it is far longer than a busy machine needs. A condition that takes long, such as a command, is tested
 * less often: otherwise it would take the processor from what it waits for.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'the condition',
  boundMs = 180_000,
): Promise<void> {
  const deadline = performance.now() + boundMs;
  for (;;) {
    const startMs = performance.now();
    if (await condition()) return;
    const now = performance.now();
    if (now > deadline) {
      throw new Error(`${what} did not happen within ${boundMs / 1_000} seconds`);
    }
    const pauseMs = Math.min(MOST_MS, Math.max(INTERVAL_MS, 3 * (now - startMs)));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
