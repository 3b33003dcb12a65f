import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../src/common/clock.ts';
import {
  MemoryRateLimiter,
  type RateLimitMemory,
} from '../../../src/engines/limits/memory-rate-limiter.ts';

/** The work of a thread: wait for its start, then count `takes` times under one key. */
export interface TakeWork {
  memory: RateLimitMemory;
  /** One word of shared memory; 1 starts the thread. */
  gate: Int32Array;
  takes: number;
  limit: number;
}

if (!isMainThread) {
  const { memory, gate, takes, limit } = workerData as TakeWork;
  const limiter = new MemoryRateLimiter({ clock: systemClock, memory });
  parentPort!.postMessage('ready');
  Atomics.wait(gate, 0, 0, 30_000);
  let allowed = 0;
  for (let i = 0; i < takes; i++) {
    if (limiter.take('client', limit).allowed) allowed++;
  }
  parentPort!.postMessage(allowed);
}
