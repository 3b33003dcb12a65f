import fc from 'fast-check';
import { seededRandom } from '../../src/common/seeded-random.ts';

// A setup file of vitest: properties draw the same values in each run with the same STAVE_TEST_SEED. A property that
// shrinks a failure for longer than a test may take ends with the seed and with what it has found.
fc.configureGlobal({
  seed: seededRandom(process.env.STAVE_TEST_SEED!).integer(0, 2 ** 31 - 1),
  interruptAfterTimeLimit: 200_000,
  markInterruptAsFailure: true,
});
