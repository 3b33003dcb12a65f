import { parentPort } from 'node:worker_threads';

// Responds with the seed, except for seeds that request a fault.
parentPort!.on('message', (seed: string) => {
  if (seed === 'throw') throw new Error('the drawing failed');
  if (seed === 'exit') process.exit(3);
  parentPort!.postMessage(Buffer.from(seed));
});
