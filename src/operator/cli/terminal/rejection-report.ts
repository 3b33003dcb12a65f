import { closeSync, openSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { OperatorError } from '../../../common/operator-error.ts';
import { meaningOf } from '../../../common/text/explain.ts';
import { printableLine } from '../../../common/text/printable.ts';
import { type Reading, readingName } from '../../../features/import/files/parts.ts';
import type { Rejection } from '../../../features/import/item.ts';
import type { Output } from './output.ts';
import type { ProgressBar } from './progress-bar.ts';

/** More rejections are not printed: in a broken catalog, a million records have the same one. */
const MAX_PRINTED = 100;

/** Receives the rejections of one import. The caller must close it. */
export interface RejectionReport {
  /** `reading` says how the file was read. */
  tell: (rejection: Rejection, reading?: Reading) => void;
  /** Prints how many rejections were not printed. */
  finish(): void;
  /** Throws OperatorError if the file does not contain all rejections. */
  close(): Promise<void>;
}

/**
 * Prints the first rejections, and writes all of them as NDJSON to the file, if one is given.
 * Throws OperatorError if the file cannot be written or is one of the inputs.
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
  const all = file === undefined ? undefined : new RejectionFile(file);
  let count = 0;
  return {
    tell(rejection, reading) {
      count++;
      if (count <= MAX_PRINTED) {
        bar.around(() => output.note(rejectionLine(rejection, reading)));
      }
      all?.write(
        reading === undefined
          ? rejection
          : { ...rejection, mapping: reading.mapping, source: reading.source },
      );
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

const BUFFER_CHARACTERS = 64 * 1024;

/**
 * Writes each batch before it takes the next one, because a stream would keep in memory what a slow disk has
 * not written. Keeps the first error: a full disk must not end an import halfway.
 */
class RejectionFile {
  readonly #path: string;
  readonly #file: number;
  #lines = '';
  #fault: unknown;

  constructor(path: string) {
    this.#path = path;
    try {
      this.#file = openSync(path, 'w');
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }

  write(rejection: object): void {
    this.#lines += `${JSON.stringify(rejection)}\n`;
    if (this.#lines.length >= BUFFER_CHARACTERS) {
      this.#flush();
    }
  }

  close(): void {
    this.#flush();
    try {
      closeSync(this.#file);
    } catch (error) {
      this.#fault ??= error;
    }
    if (this.#fault !== undefined) {
      throw cannotWrite(this.#path, this.#fault);
    }
  }

  #flush(): void {
    const bytes = Buffer.from(this.#lines);
    this.#lines = '';
    try {
      for (let at = 0; at < bytes.length && this.#fault === undefined; ) {
        at += writeSync(this.#file, bytes, at);
      }
    } catch (error) {
      this.#fault = error;
    }
  }
}

/** Opening the file truncates it, so it must not be an input under any name. */
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
  return new OperatorError(`cannot write ${path}: ${meaningOf(error)}`, { cause: error });
}

/** Formats `file:line: field: reason (mapping, source)`, safe for a terminal. */
function rejectionLine({ file, line, field, reason }: Rejection, reading?: Reading): string {
  const place = line === null ? file : `${file}:${line}`;
  const read = reading === undefined ? '' : ` (${readingName(reading)})`;
  return printableLine(`${place}: ${field === '' ? '' : `${field}: `}${reason}${read}`);
}
