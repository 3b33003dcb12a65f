/** The entry point of threads. thread.ts passes the module that a thread runs, and its priority. */
// A thread inherits neither the cache of compiled modules nor the bundles. Without the cache, each one removes the types of
// all modules again, with a compiler in WebAssembly, which takes longer than everything else at its start.
import '../../../bin/load-fast.mjs';
import { getPriority, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

const LOWEST_PRIORITY = 19;

if (!isMainThread) {
  const [module, lowerBy] = process.argv.slice(2);
  // On Linux, this concerns the calling thread and those that it starts. Elsewhere, it would concern the process.
  if (process.platform === 'linux') {
    try {
      setPriority(Math.min(getPriority() + Number(lowerBy), LOWEST_PRIORITY));
    } catch {
      // A sandbox may forbid it. The work is the same.
    }
  }
  await import(module!);
}
