import { parentPort } from 'node:worker_threads';
import { generateArtwork } from './generate.ts';

// A failure ends the thread, and the thread that started it gets the `error` event.
parentPort!.on('message', async (seed: string) => {
  parentPort!.postMessage(await generateArtwork(seed));
});
