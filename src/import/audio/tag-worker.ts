import { parentPort } from 'node:worker_threads';
import { readTags } from './read-tags.ts';

/** What the reader sends: the file to read. One at a time. */
export interface TagRequest {
  path: string;
}

// A thread of its own, so that a file that makes a parser run for ever, or out of memory, can be given up.
parentPort?.on('message', async ({ path }: TagRequest) => {
  try {
    parentPort?.postMessage({ tags: await readTags(path) });
  } catch (error) {
    parentPort?.postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});
