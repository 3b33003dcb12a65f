import { MAX_TIMER_MS } from './time-limit.ts';

/** Waits, and rejects with the reason of the signal if it is aborted before. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  const timer = {} as { id?: ReturnType<typeof setTimeout> };
  const time = new Promise<void>((resolve) => {
    timer.id = setTimeout(resolve, Math.min(milliseconds, MAX_TIMER_MS));
  });
  return untilAborted(time, signal).finally(() => clearTimeout(timer.id));
}

/** The result of a promise, which others may wait for too, or the reason of the signal if it is aborted before. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
