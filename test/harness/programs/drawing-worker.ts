import { parentPort } from 'node:worker_threads';

// Answers with the seed, but for the seeds that stand for a fault.
parentPort!.on('message', (seed: string) => {
  if (seed === 'throw') throw new Error('the drawing failed');
  if (seed === 'exit') process.exit(3);
  parentPort!.postMessage(Buffer.from(seed));
});
