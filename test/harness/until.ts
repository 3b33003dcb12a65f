/** Waits until the condition holds; the bound only ends a test that would hang. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  boundMs = 20_000,
): Promise<void> {
  const deadline = performance.now() + boundMs;
  while (!(await condition())) {
    if (performance.now() > deadline) {
      throw new Error(`the condition did not come to hold within ${boundMs / 1_000} seconds`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
