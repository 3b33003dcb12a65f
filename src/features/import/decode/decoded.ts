export interface Decoded {
  /** The line of the file where the record begins, from 1; in a JSON document the number of the record. */
  position: number;
  value: unknown;
  problem: string | null;
  /** Columns that cannot be decoded, with the reason. The record is valid if nothing reads them. */
  damaged: ReadonlyMap<string, string> | null;
  /** The approximate memory of the record: its bytes, and an overhead for each of its values. */
  sizeBytes: number;
}

/** How many records go through the phases together, which share the cost of promises. */
const BATCH_SIZE = 1500;

/** The approximate memory of the records of a batch. Up to three batches exist at the same time. */
const BATCH_BYTES = 1024 * 1024;

/** The overhead of a value. An empty list has two bytes of text and takes sixty in memory. */
export const VALUE_BYTES = 16;

/** A longer record is rejected without being parsed, which bounds memory. */
export const MAX_RECORD_BYTES = 1024 * 1024;

/** If a single record is longer than this, the rest of the file is not read. */
export const MAX_SKIPPED_BYTES = 64 * 1024 * 1024;

/** A problem that ends a file, because the rest of it cannot be read. */
export class UnreadableError extends Error {
  readonly position: number;

  constructor(position: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreadableError';
    this.position = position;
  }
}

export function decoded(
  position: number,
  value: unknown,
  sizeBytes: number,
  damaged: ReadonlyMap<string, string> | null = null,
): Decoded {
  return { position, value, problem: null, damaged, sizeBytes };
}

export function undecoded(position: number, problem: string): Decoded {
  return { position, value: undefined, problem, damaged: null, sizeBytes: 0 };
}

/** The records that a decoder has found and not yet yielded. */
export class Batch {
  #records: Decoded[] = [];
  #sizeBytes = 0;

  push(record: Decoded): void {
    this.#records.push(record);
    this.#sizeBytes += record.sizeBytes;
  }

  get isFull(): boolean {
    return this.#records.length >= BATCH_SIZE || this.#sizeBytes >= BATCH_BYTES;
  }

  *take(): Generator<Decoded[]> {
    const records = this.#records;
    this.#records = [];
    this.#sizeBytes = 0;
    if (records.length > 0) {
      yield records;
    }
  }
}

export interface RecordReader<Piece> {
  readonly found: Batch;
  /** Yields batches that are full. */
  read(piece: Piece): Iterable<Decoded[]>;
  /** Ends the file: throws UnreadableError if it breaks off. */
  end(): Iterable<Decoded[]>;
}

/** Yields the records that a reader finds in a file, in batches. The records before a fault are imported. */
export async function* recordsFound<Piece>(
  pieces: AsyncIterable<Piece>,
  reader: RecordReader<Piece>,
): AsyncGenerator<Decoded[]> {
  try {
    for await (const piece of pieces) yield* reader.read(piece);
    yield* reader.end();
  } catch (error) {
    yield* reader.found.take();
    throw error;
  }
  yield* reader.found.take();
}

/** The bytes of a record whose end has not arrived. */
export class CarriedBytes {
  #pieces: Buffer[] = [];
  /** Bytes of a record that is too long are counted, and not kept. */
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Throws UnreadableError with this position if a `line` or a `record` is far too long. */
  add(bytes: Buffer, what: 'line' | 'record', position: number): void {
    this.#length += bytes.length;
    if (this.#length > MAX_SKIPPED_BYTES) {
      const limit = `${MAX_SKIPPED_BYTES / 1024 / 1024} MiB`;
      throw new UnreadableError(position, `a ${what} of more than ${limit}; the rest was not read`);
    }
    if (this.#length > MAX_RECORD_BYTES) {
      this.#pieces = [];
    } else if (bytes.length > 0) {
      // Copies the bytes, because the memory of the chunk may be reused.
      this.#pieces.push(Buffer.from(bytes));
    }
  }

  /** Returns the record that these bytes complete; undefined if it is longer than a record may be. */
  take(last: Buffer): Buffer | undefined {
    const isTooLong = this.#length + last.length > MAX_RECORD_BYTES;
    const whole = this.#length > 0 ? Buffer.concat([...this.#pieces, last]) : last;
    this.#pieces = [];
    this.#length = 0;
    return isTooLong ? undefined : whole;
  }
}
