import { setTimeout as sleep } from 'node:timers/promises';

/** Waits. Returns false if the signal aborts, or has. */
export async function paused(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

/** Waits until the event, at most for this time, or until the signal aborts. */
export async function pausedUntil(
  event: Promise<void>,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  await Promise.race([event, paused(ms, AbortSignal.any([signal, over.signal]))]);
  over.abort();
}
