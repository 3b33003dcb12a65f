import { parentPort } from 'node:worker_threads';
import { readTags } from './read-tags.ts';

/** A request to read one file. There is at most one open request. */
export interface TagRequest {
  path: string;
}

// A separate thread, so that the reader can end a parser that runs forever or out of memory.
parentPort?.on('message', async ({ path }: TagRequest) => {
  try {
    parentPort?.postMessage({ tags: await readTags(path) });
  } catch (error) {
    parentPort?.postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});
