import { randomBytes } from 'node:crypto';
import { type SeededRandom, seededRandom } from '../../src/common/seeded-random.ts';

/**
 * Random numbers for a test that kills or damages at random times. Each run uses other numbers. The seed is printed,
 * and `STAVE_TEST_SEED` repeats them. The timing of the machine still differs.
 */
export function testRandom(purpose: string): SeededRandom {
  const seed = process.env.STAVE_TEST_SEED ?? randomBytes(4).toString('hex');
  process.stderr.write(`${purpose}: STAVE_TEST_SEED=${seed}\n`);
  return seededRandom(`${purpose} ${seed}`);
}
