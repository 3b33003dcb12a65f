import type { Reporter, TestModule } from 'vitest/node';

/** A run of at least this many test files is a run of all tests. A smaller run ends soon and needs no progress. */
const MANY_FILES = 100;
/** How many of the slowest files are named at the end. */
const SLOWEST = 25;

/** The part of a test file's report that counts here. */
type EndedFile = Pick<TestModule, 'relativeModuleId'> & {
  project: { name: string };
  diagnostic(): { duration: number };
};

/**
 * Prints the expected duration at the start of a run of all tests, the progress after each tenth of its files, and the
 * slowest files at the end.
 */
export class Progress implements Reporter {
  readonly #write: (line: string) => void;
  #files = 0;
  #ended: { name: string; seconds: number }[] = [];
  #startMs = 0;

  constructor(write: (line: string) => void = (line) => process.stderr.write(line)) {
    this.#write = write;
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#files = specifications.length;
    this.#ended = [];
    this.#startMs = performance.now();
    if (this.#files < MANY_FILES) return;
    this.#write(
      `${this.#files} test files: 20 to 40 minutes on two cores, longer beside other work\n`,
    );
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
    this.#write(`${ended} of ${this.#files} test files after ${minutes} minutes\n`);
  }

  onTestRunEnd(): void {
    if (this.#files < MANY_FILES) return;
    const total = this.#ended.reduce((sum, { seconds }) => sum + seconds, 0);
    this.#write(`the slowest of ${total.toFixed(0)} s of test files:\n`);
    const slowest = this.#ended.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
    for (const { name, seconds } of slowest) this.#write(`${seconds.toFixed(0)} s ${name}\n`);
  }
}
