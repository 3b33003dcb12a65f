import { offerToStarter } from '../../../src/common/threads/calls.ts';

offerToStarter({
  /** Responds with the seed, except for seeds that request a fault. */
  draw(seed: string) {
    if (seed === 'throw') throw new Error('the drawing failed');
    if (seed === 'exit') process.exit(3);
    return Buffer.from(seed);
  },
});
