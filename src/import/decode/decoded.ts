/** One record as a decoder found it. */
export interface Decoded {
  /** Line of the file where the record begins, from 1; in a JSON document the record's number. */
  position: number;
  /** The record; undefined where it could not be read. */
  value: unknown;
  /** Why it could not be read; null where it could. */
  problem: string | null;
  /** Columns whose bytes could not be read, with the reason; the record stands where nobody reads them. */
  damaged: ReadonlyMap<string, string> | null;
}

/** How many records travel together through the phases: enough that promises cost nothing each. */
export const BATCH_SIZE = 1000;

/** A record's bytes, at most: what is longer is rejected unread, which keeps memory flat. */
export const MAX_RECORD_BYTES = 1024 * 1024;

/** Where a single record is longer than this the file is given up: it is not what it seems to be. */
export const MAX_SKIPPED_BYTES = 64 * 1024 * 1024;

/** A problem that ends a file: what comes after it cannot be told apart. */
export class UnreadableError extends Error {
  readonly position: number;

  constructor(position: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreadableError';
    this.position = position;
  }
}

/** A record that could be read; `damaged` names columns that could not. */
export function decoded(
  position: number,
  value: unknown,
  damaged: ReadonlyMap<string, string> | null = null,
): Decoded {
  return { position, value, problem: null, damaged };
}

/** A record that could not be read, and why. */
export function undecoded(position: number, problem: string): Decoded {
  return { position, value: undefined, problem, damaged: null };
}
