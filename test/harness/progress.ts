import type { Reporter } from 'vitest/node';

/** A run of at least this many test files is a run of all tests. A smaller run ends soon and needs no progress. */
const MANY_FILES = 100;

/** Prints the expected duration at the start of a run of all tests, and the progress after each tenth of its files. */
export class Progress implements Reporter {
  readonly #write: (line: string) => void;
  #files = 0;
  #ended = 0;
  #startMs = 0;

  constructor(write: (line: string) => void = (line) => process.stderr.write(line)) {
    this.#write = write;
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#files = specifications.length;
    this.#ended = 0;
    this.#startMs = performance.now();
    if (this.#files < MANY_FILES) return;
    this.#write(
      `${this.#files} test files: 20 to 40 minutes on two cores, longer beside other work\n`,
    );
  }

  onTestModuleEnd(): void {
    this.#ended++;
    if (this.#files < MANY_FILES) return;
    const tenths = (ended: number) => Math.floor((10 * ended) / this.#files);
    if (tenths(this.#ended) === tenths(this.#ended - 1)) return;
    const minutes = ((performance.now() - this.#startMs) / 60_000).toFixed(1);
    this.#write(`${this.#ended} of ${this.#files} test files after ${minutes} minutes\n`);
  }
}
