import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Sets the priority of this process and of the threads that it starts. On Linux, each thread has its own, and those of V8,
 * which collect garbage, exist already.
 */
export function setProcessPriority(priority: number): void {
  setPriority(priority);
  if (process.platform !== 'linux') return;
  for (const thread of readdirSync('/proc/self/task')) {
    try {
      setPriority(Number(thread), priority);
    } catch {
      // The thread has ended.
    }
  }
}
