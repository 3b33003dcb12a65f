/**
 * The entry point of the threads of this folder. start-thread.ts passes the module that a thread runs, and the
 * priority of a thread in the background.
 */
import { enableCompileCache } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) {
  const [module, priority] = process.argv.slice(2);
  // On Linux, this concerns the calling thread and those that it starts. Elsewhere, it would concern the process.
  if (priority !== undefined && process.platform === 'linux') {
    // A number below the present one would be a higher priority, which only an administrator may set.
    setPriority(Math.max(getPriority(), Number(priority)));
  }
  // A thread does not inherit the cache. Without it, each one removes the types of all modules again, with a
  // compiler in WebAssembly, which takes longer than everything else at its start.
  enableCompileCache();
  await import(module!);
}
