import { closeSync, openSync, writeFileSync } from 'node:fs';
import { OperatorError } from '../common/errors.ts';
import { meaningOf } from '../common/text/explain.ts';

const BUFFER_CHARACTERS = 64 * 1024;

/**
 * A file that replaces any earlier one, for the lines of a long task. Writes each batch before it takes the next one,
 * because a stream would keep in memory what a slow disk has not written. Keeps the first error until `close`: a full disk
 * must not end an import halfway.
 */
export class LineFile {
  readonly #path: string;
  readonly #file: number;
  #lines = '';
  #fault: unknown;

  /** Throws OperatorError if the file cannot be opened. */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#file = openSync(path, 'w');
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }

  /** @param line with its end */
  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length >= BUFFER_CHARACTERS) this.#flush();
  }

  /** Throws OperatorError if the file does not contain all lines. */
  close(): void {
    this.#flush();
    try {
      closeSync(this.#file);
    } catch (error) {
      this.#fault ??= error;
    }
    if (this.#fault !== undefined) throw cannotWrite(this.#path, this.#fault);
  }

  #flush(): void {
    const lines = this.#lines;
    this.#lines = '';
    if (this.#fault !== undefined) return;
    try {
      writeFileSync(this.#file, lines);
    } catch (error) {
      this.#fault = error;
    }
  }
}

function cannotWrite(path: string, error: unknown): OperatorError {
  return new OperatorError(`cannot write ${path}: ${meaningOf(error)}`, { cause: error });
}
