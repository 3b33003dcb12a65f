import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads';

/** The limits of a thread that need not be fast. By default, a thread takes much more before it collects garbage. */
export const LITTLE_MEMORY: ResourceLimits = { maxYoungGenerationSizeMb: 24 };

/** How much lower the priority of a thread is that gives way to all others that need a processor. */
export const IN_BACKGROUND = 10;
/** How much lower the priority of a thread is that writes to the store. It holds locks, so it must not wait for long. */
export const BELOW_REQUESTS = 5;

/** The options of a thread. */
export interface ThreadOptions extends Omit<WorkerOptions, 'argv'> {
  /**
   * How much lower its priority is than that of the calling thread. This also applies to each thread that it starts,
   * and has an effect on Linux only.
   */
  lowerBy?: number;
}

/** Starts a thread that runs a module, given as an absolute URL, with the compile cache. */
export function startThread(
  module: URL | string,
  { lowerBy = 0, ...options }: ThreadOptions,
): Worker {
  const argv = [String(module), String(lowerBy)];
  return new Worker(new URL('./thread-entry.ts', import.meta.url), { ...options, argv });
}
