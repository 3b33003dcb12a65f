import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { OperatorError } from '../../../common/operator-error.ts';
import { UnreadableError } from './decoded.ts';
import { cannotRead, chunksOf, type Input, openInput } from './input.ts';

/** Real workbooks have some tens of parts, or some thousands with many pictures. */
const MAX_PARTS = 10_000;
/**
 * Real workbooks unpack to between four and twenty times their size. A workbook that unpacks to
 * more contains no catalog.
 */
const MAX_UNPACKED_RATIO = 50;
/** How many bytes may be unpacked whatever the ratio. */
const FREE_UNPACKED_BYTES = 16 * 1024 * 1024;
/** The caller parses one piece at once, and holds what it found there: long texts of short cells. */
const PIECE_BYTES = 4 * 1024;

/** The ZIP archive of a workbook. The caller must close it. */
export class WorkbookArchive {
  /** The size of the file. */
  readonly sizeBytes: number;
  readonly #input: Input;
  readonly #file: FileHandle;
  readonly #zip: ZipFile;
  /** By name in lower case, as the standard compares names. */
  readonly #parts: ReadonlyMap<string, Entry>;
  #unpackedBytes = 0;

  private constructor(
    { input, file }: { input: Input; file: FileHandle },
    { zip, parts, sizeBytes }: { zip: ZipFile; parts: Map<string, Entry>; sizeBytes: number },
  ) {
    this.#input = input;
    this.#file = file;
    this.#zip = zip;
    this.#parts = parts;
    this.sizeBytes = sizeBytes;
  }

  /** Rejects with UnreadableError if the file is no ZIP archive, or another kind of document. */
  static async open(input: Input): Promise<WorkbookArchive> {
    const file = await openInput(input);
    try {
      const sizeBytes = await archiveSize(file);
      const reader = new FileReader(file);
      const zip = await fromRandomAccessReaderPromise(reader, sizeBytes, { autoClose: false });
      const parts = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) {
        parts.set(entry.fileName.toLowerCase(), entry);
        if (parts.size > MAX_PARTS) {
          throw new UnreadableError(0, `the ZIP archive has more than ${MAX_PARTS} files`);
        }
      }
      refuseOthers(parts);
      return new WorkbookArchive({ input, file }, { zip, parts, sizeBytes });
    } catch (error) {
      if (file !== input) await file.close();
      throw archiveProblem(error, input);
    }
  }

  has(name: string): boolean {
    return this.#parts.has(name.toLowerCase());
  }

  /**
   * Reads a part in pieces; a part that does not exist has none. Calls `onRead` with how many bytes
   * of the file were read, to show progress. Rejects with UnreadableError if the data are damaged,
   * or if all parts that were read of the archive unpack to too much.
   */
  async *read(name: string, onRead?: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    const entry = this.#parts.get(name.toLowerCase());
    if (entry === undefined) {
      return;
    }
    try {
      if (entry.isEncrypted()) {
        throw new UnreadableError(0, 'the ZIP archive is encrypted; save it without a password');
      }
      const packing = entry.compressedSize / Math.max(1, entry.uncompressedSize);
      const stream = await this.#zip.openReadStreamPromise(entry);
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        this.#count(chunk.length);
        onRead?.(chunk.length * packing);
        for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
          yield chunk.subarray(at, at + PIECE_BYTES);
        }
      }
    } catch (error) {
      throw archiveProblem(error, this.#input);
    }
  }

  async close(): Promise<void> {
    if (this.#file !== this.#input) await this.#file.close();
  }

  #count(bytes: number): void {
    this.#unpackedBytes += bytes;
    if (this.#unpackedBytes > FREE_UNPACKED_BYTES + this.sizeBytes * MAX_UNPACKED_RATIO) {
      const reason = `the workbook unpacks to more than ${MAX_UNPACKED_RATIO} times its size; the rest was not read`;
      throw new UnreadableError(0, reason);
    }
  }
}

/** Lets yauzl read an open file. */
class FileReader extends RandomAccessReader {
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(chunksOf(this.#file, start, end));
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#file
      .read(buffer, offset, length, position)
      .then(({ bytesRead }) => callback(null, bytesRead), callback);
  }
}

/** Returns the size of the file. Rejects with UnreadableError if it is compressed once more. */
async function archiveSize(file: FileHandle): Promise<number> {
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
  if (buffer[0] === 0x1f && buffer[1] === 0x8b) {
    throw new UnreadableError(0, 'the workbook is compressed with gzip; unpack it');
  }
  return (await file.stat()).size;
}

/** Throws UnreadableError that names what the archive is, unless it may be a workbook. */
function refuseOthers(parts: ReadonlyMap<string, Entry>): void {
  const other = parts.has('xl/workbook.bin')
    ? 'a binary workbook (.xlsb); save it as .xlsx or CSV'
    : parts.has('mimetype') && parts.has('content.xml')
      ? 'an OpenDocument file (.ods); save it as .xlsx or CSV'
      : [...parts.keys()].some((name) => name.endsWith('.iwa'))
        ? 'a document of Numbers; export it as .xlsx or CSV'
        : parts.has('_rels/.rels')
          ? undefined
          : 'a ZIP archive and no workbook; unpack it';
  if (other !== undefined) {
    throw new UnreadableError(0, `the file is ${other}`);
  }
}

function archiveProblem(error: unknown, input: Input): unknown {
  if (error instanceof UnreadableError || error instanceof OperatorError) {
    return error;
  }
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) {
    return cannotRead(input, error);
  }
  const reason = `the ZIP archive of the workbook is damaged (${message.slice(0, 200)}); the rest was not read`;
  return new UnreadableError(0, reason, { cause: error });
}
