import fc from 'fast-check';
import { seededRandom } from '../../src/common/seeded-random.ts';

// A setup file of vitest, for runs with STAVE_TEST_SEED: properties draw the same values in each of them.
fc.configureGlobal({
  seed: seededRandom(process.env.STAVE_TEST_SEED!).integer(0, 2 ** 31 - 1),
});
