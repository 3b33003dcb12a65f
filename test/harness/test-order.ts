import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { seededRandom } from '../../src/common/seeded-random.ts';

/** Files whose tests run for more than a minute, although they are short. */
const LONG =
  /\/(?:artifacts\/release|import\/(?:xlsx-)?bounds|renditions\/(?:real-audio|rendition-thread)|releases\/release-stores|scenarios\/(?:cluster|feed|import-killed|licenses|log-expiry|webhooks))\.deep\.test\.ts$/;

/**
 * The order of test files. Those that share processes run in an order that STAVE_TEST_SEED determines, so that
 * no file depends on what another one has left behind. The others run longest first, as far as their times are known; in a
 * new clone, by size.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isShared = ({ project }: TestSpecification) => !project.config.isolate;
    const random = seededRandom(`order ${process.env.STAVE_TEST_SEED}`);
    const shared = files
      .filter(isShared)
      .toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
      .map((file) => ({ file, key: random.next() }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ file }) => file);
    const isLong = ({ moduleId }: TestSpecification) => Number(LONG.test(moduleId));
    const alone = await super.sort(files.filter((file) => !isShared(file)));
    return [...alone.toSorted((a, b) => isLong(b) - isLong(a)), ...shared];
  }
}
