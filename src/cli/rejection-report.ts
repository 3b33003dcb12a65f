import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { Rejection } from '../import/rejection.ts';
import { OperatorError } from '../kernel/operator-error.ts';
import type { Output } from './output.ts';
import type { ProgressBar } from './progress-bar.ts';
import { printable } from './table.ts';

/** More than these are not printed: a broken catalog has one reason a million times. */
const MAX_PRINTED = 100;

/** Where the rejections of one import go. Always close it. */
export interface RejectionReport {
  tell: (rejection: Rejection) => void;
  /** Says how many were not printed. */
  finish(): void;
  /** Throws OperatorError where the file does not hold all of them. */
  close(): Promise<void>;
}

/**
 * Prints the first rejections, and writes all of them to the file, as NDJSON, where one is named.
 * Throws OperatorError where it cannot be written, and where it is one of the inputs.
 */
export async function openRejectionReport(
  file: string | undefined,
  inputs: readonly string[],
  output: Output,
  bar: ProgressBar,
): Promise<RejectionReport> {
  if (file !== undefined) {
    await refuseInput(file, inputs);
  }
  const all = file === undefined ? undefined : await RejectionFile.open(file);
  let count = 0;
  return {
    tell(rejection) {
      count++;
      if (count <= MAX_PRINTED) {
        bar.around(() => output.note(rejectionLine(rejection)));
      }
      all?.write(rejection);
    },
    finish() {
      if (count > MAX_PRINTED) {
        const hint = file === undefined ? '--rejects FILE lists all' : `all are in ${file}`;
        output.note(`… and ${count - MAX_PRINTED} more (${hint})`);
      }
    },
    close: async () => all?.close(),
  };
}

/** Remembers the first fault of its file: a disk that fills must not end an import in the middle. */
class RejectionFile {
  readonly #path: string;
  readonly #stream: WriteStream;
  #fault: Error | undefined;

  private constructor(path: string, stream: WriteStream) {
    this.#path = path;
    this.#stream = stream;
    stream.on('error', (fault) => {
      this.#fault ??= fault;
    });
  }

  static async open(path: string): Promise<RejectionFile> {
    const stream = createWriteStream(path);
    try {
      await once(stream, 'open');
    } catch (error) {
      throw cannotWrite(path, error);
    }
    return new RejectionFile(path, stream);
  }

  write(rejection: Rejection): void {
    if (this.#fault === undefined) {
      this.#stream.write(`${JSON.stringify(rejection)}\n`);
    }
  }

  async close(): Promise<void> {
    this.#stream.end();
    try {
      await finished(this.#stream);
    } catch (error) {
      throw cannotWrite(this.#path, this.#fault ?? error);
    }
  }
}

/** Opening the file empties it: it must not be what the import reads, by whatever name. */
async function refuseInput(file: string, inputs: readonly string[]): Promise<void> {
  const identity = async (path: string) => {
    const found = await stat(path).catch(() => undefined);
    return found === undefined ? undefined : `${found.dev}:${found.ino}`;
  };
  const written = await identity(file);
  const read = await Promise.all(inputs.map(identity));
  if (written !== undefined && read.includes(written)) {
    throw new OperatorError(`--rejects would overwrite ${file}, which is read: name another file`);
  }
}

function cannotWrite(path: string, error: unknown): OperatorError {
  const { code } = error as NodeJS.ErrnoException;
  return new OperatorError(`cannot write ${path} (${code})`, { cause: error });
}

/** `file:line: field: reason`, safe for a terminal. */
function rejectionLine({ file, line, field, reason }: Rejection): string {
  const place = line === null ? file : `${file}:${line}`;
  return printable(field === '' ? `${place}: ${reason}` : `${place}: ${field}: ${reason}`);
}
