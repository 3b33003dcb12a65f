import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts a thread that runs a module of this folder, with the compile cache. */
export function startThread(module: string, options: Omit<WorkerOptions, 'argv'>): Worker {
  return new Worker(new URL('./thread-entry.ts', import.meta.url), { ...options, argv: [module] });
}
