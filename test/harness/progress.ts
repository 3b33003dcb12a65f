import type { Reporter, TestModule } from 'vitest/node';

/** A run of at least this many test files is a run of all tests. A smaller run ends soon and needs no progress. */
const MANY_FILES = 100;
/** How many of the slowest files are named at the end. */
const SLOWEST = 25;

type TestState = 'passed' | 'failed' | 'skipped' | 'pending';

/** The part of a test file's report that counts here. */
interface EndedFile extends Pick<TestModule, 'relativeModuleId' | 'ok'> {
  project: { name: string };
  diagnostic(): { duration: number };
}

/**
 * Prints the expected duration at the start of a run of all tests, the progress after each tenth of its files, and the
 * slowest files at the end. The last line of each run is the verdict: `N passed, N failed, N skipped` and the seed.
 */
export class Progress implements Reporter {
  readonly #seed: string;
  readonly #write: (line: string) => void;
  #files = 0;
  #ended: { name: string; seconds: number }[] = [];
  readonly #tests: Record<TestState, number> = { passed: 0, failed: 0, skipped: 0, pending: 0 };
  #startMs = 0;

  constructor(
    seed: string,
    write: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
  ) {
    this.#seed = seed;
    this.#write = write;
  }

  onTestRunStart(specifications: readonly { project: { name: string } }[]): void {
    this.#files = specifications.length;
    this.#startMs = performance.now();
    if (this.#files < MANY_FILES) return;
    const isDeep = specifications.some(({ project: { name } }) => /^(?:deep|postgres)/.test(name));
    const minutes = isDeep ? '20 to 40' : '2 to 5';
    this.#write(
      `${this.#files} test files: ${minutes} minutes on two cores, longer beside other work`,
    );
  }

  onTestCaseResult(test: { result(): { state: TestState } }): void {
    this.#tests[test.result().state]++;
  }

  onTestModuleEnd(file: EndedFile): void {
    this.#ended.push({
      name: `${file.project.name} ${file.relativeModuleId}`,
      seconds: file.diagnostic().duration / 1_000,
    });
    if (this.#files < MANY_FILES) return;
    const ended = this.#ended.length;
    const tenths = (files: number) => Math.floor((10 * files) / this.#files);
    if (tenths(ended) === tenths(ended - 1)) return;
    const minutes = ((performance.now() - this.#startMs) / 60_000).toFixed(1);
    this.#write(`${ended} of ${this.#files} test files after ${minutes} minutes`);
  }

  onTestRunEnd(
    modules: readonly Pick<TestModule, 'ok' | 'children'>[],
    errors: readonly unknown[],
  ): void {
    if (this.#files >= MANY_FILES) this.#writeSlowest();
    const { passed, failed, skipped } = this.#tests;
    // A file that cannot be loaded or a hook that fails is a failure without a failed test.
    const others = modules.filter(
      (file) => !file.ok() && [...file.children.allTests('failed')].length === 0,
    ).length;
    this.#write(
      `${passed} passed, ${failed + others + errors.length} failed, ${skipped} skipped (STAVE_TEST_SEED=${this.#seed})`,
    );
  }

  #writeSlowest(): void {
    const total = this.#ended.reduce((sum, { seconds }) => sum + seconds, 0);
    this.#write(`the slowest of ${total.toFixed(0)} s of test files:`);
    const slowest = this.#ended.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
    for (const { name, seconds } of slowest) this.#write(`${seconds.toFixed(0)} s ${name}`);
  }
}
