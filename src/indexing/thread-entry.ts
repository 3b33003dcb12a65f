/** The entry point of the threads of this folder. start-thread.ts passes the module that a thread runs. */
import { enableCompileCache } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) {
  // A thread does not inherit the cache. Without it, each one removes the types of all modules again, with a
  // compiler in WebAssembly, which takes longer than everything else at its start.
  enableCompileCache();
  await import(process.argv[2]!);
}
