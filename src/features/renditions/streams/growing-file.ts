import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { unlessMissing } from '../../../common/files.ts';
import type { ByteRange } from '../../../engines/blobs/media-store.ts';

const POLL_MS = 25;
const BLOCK_BYTES = 64 * 1024;

/** A file that another thread writes from its beginning to its end. */
export class GrowingFile {
  readonly path: string;
  #state: 'growing' | 'whole' | 'failed' = 'growing';

  /** The file need not exist yet. */
  constructor(path: string) {
    this.path = path;
  }

  /** Says that all of it is written, or that nothing more will be. The first call counts. */
  end(state: 'whole' | 'failed'): void {
    if (this.#state === 'growing') this.#state = state;
  }

  /**
   * Reads a range when its first byte is there. The stream waits for what is not there yet, and fails if the file ends
   * before. Returns undefined if the first byte takes longer, will not come, or the file is gone.
   */
  async open(range: ByteRange, waitMs: number): Promise<Readable | undefined> {
    const deadline = performance.now() + waitMs;
    for (let file: FileHandle | undefined; ; ) {
      const isOver = this.#state !== 'growing' || performance.now() > deadline;
      file ??= await unlessMissing(open(this.path));
      if (file !== undefined && (await file.stat()).size > range.start) {
        return Readable.from(this.#bytes(file, range), { objectMode: false });
      }
      if (isOver) {
        await file?.close();
        return undefined;
      }
      await sleep(POLL_MS);
    }
  }

  async *#bytes(opened: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer> {
    await using file = opened;
    for (let at = start; at <= end; ) {
      const isOver = this.#state !== 'growing';
      const length = Math.min(BLOCK_BYTES, end - at + 1);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
      at += bytesRead;
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      else if (isOver) throw new Error('the stream ends before its length');
      else await sleep(POLL_MS);
    }
  }
}
