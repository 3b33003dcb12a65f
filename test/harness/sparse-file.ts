import { type FileHandle, open } from 'node:fs/promises';
import { Writable } from 'node:stream';

const BLOCK_BYTES = 64 * 1024;
const ZEROS = Buffer.alloc(BLOCK_BYTES);

/** Writes a file, and leaves holes for blocks of zeros, so that a large file takes little space. */
export class SparseFile extends Writable {
  /** The bytes that were written, with the holes. */
  length = 0;
  readonly #file: FileHandle;

  static async create(path: string): Promise<SparseFile> {
    return new SparseFile(await open(path, 'w'));
  }

  private constructor(file: FileHandle) {
    super();
    this.#file = file;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#put(chunk).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#file
      .truncate(this.length)
      .then(() => this.#file.close())
      .then(() => done(), done);
  }

  async #put(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += BLOCK_BYTES) {
      const block = chunk.subarray(at, at + BLOCK_BYTES);
      if (!block.equals(ZEROS.subarray(0, block.length))) {
        await this.#file.write(block, 0, block.length, this.length + at);
      }
    }
    this.length += chunk.length;
  }
}
