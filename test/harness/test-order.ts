import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { seededRandom } from '../../src/common/seeded-random.ts';

/**
 * The order of test files. The fast ones, which share processes, run in an order that STAVE_TEST_SEED determines, so that
 * no file depends on what another one has left behind. The others run longest first, as far as their times are known.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isFast = ({ project }: TestSpecification) => project.name === 'fast';
    const random = seededRandom(`order ${process.env.STAVE_TEST_SEED}`);
    const fast = files
      .filter(isFast)
      .toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
      .map((file) => ({ file, key: random.next() }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ file }) => file);
    return [...(await super.sort(files.filter((file) => !isFast(file)))), ...fast];
  }
}
