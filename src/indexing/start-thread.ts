import { constants } from 'node:os';
import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads';

/** The limits of a thread that need not be fast. By default, a thread takes much more before it collects garbage. */
export const LITTLE_MEMORY: ResourceLimits = { maxYoungGenerationSizeMb: 24 };

/** The options of a thread. */
export interface ThreadOptions extends Omit<WorkerOptions, 'argv'> {
  /**
   * Whether the thread, and each one that it starts, gives way to all others that need a processor. This has an
   * effect on Linux only.
   */
  isInBackground?: boolean;
}

/** Starts a thread that runs a module of this folder, with the compile cache. */
export function startThread(
  module: string,
  { isInBackground = false, ...options }: ThreadOptions,
): Worker {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  const argv = [module, ...(isInBackground ? [String(PRIORITY_BELOW_NORMAL)] : [])];
  return new Worker(new URL('./thread-entry.ts', import.meta.url), { ...options, argv });
}
