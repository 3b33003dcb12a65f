import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import { StaveError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { OperatorError } from '../../kernel/operator-error.ts';
import { artworkContentType, audioContentType } from '../../media/content-types.ts';
import {
  type ByteRange,
  isMediaKey,
  type MediaStore,
  mediaPath,
  noSuchMedia,
  type PresignedUrl,
  type PresignWish,
  refuseUnlessExtension,
  type StoredMedia,
} from '../../media/media-store.ts';
import type { Bucket } from './bucket.ts';
import { isPassing, reasonOf } from './faults.ts';
import { Presigner } from './presign.ts';

/** How often an upload is tried, with its file read anew. */
const UPLOAD_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 200;

/** What callers are told to wait while the bucket cannot be reached. */
const RETRY_SECONDS = 5;

/** What an S3 media store works with. */
export interface S3MediaStoreOptions {
  bucket: string;
  /** Without slashes around it; may be empty. */
  prefix: string;
  clock: Clock;
  log: Log;
}

/**
 * A media store in a bucket, its objects named as the files of a media folder are. The SDK is loaded
 * and the bucket reached when it is first used, so that a command that needs no media costs nothing
 * and works without the bucket; `check` reaches it at once.
 */
export function openS3MediaStore(options: S3MediaStoreOptions): MediaStore {
  return new S3MediaStore(options);
}

/** A bucket that was opened, and what signs its URLs. */
interface Opened {
  bucket: Bucket;
  presigner: Presigner;
}

class S3MediaStore implements MediaStore {
  readonly place: string;
  readonly #options: S3MediaStoreOptions;
  /** What stands before the path of each key. */
  readonly #prefix: string;
  #opening: Promise<Opened> | undefined;
  /** What the log was last told, so that it is told once and not at each request. */
  #toldFault: string | undefined;

  constructor(options: S3MediaStoreOptions) {
    const { bucket, prefix } = options;
    this.#options = options;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    this.place = `s3://${prefix === '' ? bucket : `${bucket}/${prefix}`}`;
  }

  async check(): Promise<void> {
    try {
      await this.#with(({ bucket }) => bucket.check());
    } catch (error) {
      throw (error as StaveError).cause;
    }
  }

  async putFile(path: string, extension: string): Promise<StoredMedia> {
    refuseUnlessExtension(extension);
    const digest = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      digest.update(chunk);
      sizeBytes += chunk.length;
    }
    const sha256 = digest.digest('hex');
    return this.#put(sha256, sizeBytes, extension, () => createReadStream(path));
  }

  async putBytes(bytes: Uint8Array, extension: string): Promise<StoredMedia> {
    refuseUnlessExtension(extension);
    return this.#put(hash('sha256', bytes), bytes.byteLength, extension, () => bytes);
  }

  async stat(key: string): Promise<{ sizeBytes: number; modifiedAt: Date } | undefined> {
    if (!isMediaKey(key)) return undefined;
    return this.#with(({ bucket }) => bucket.head(this.#nameOf(key)));
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    const name = this.#nameOf(key);
    const body = await this.#with(({ bucket }) => bucket.get(name, range));
    if (body === undefined) throw noSuchMedia();
    return body;
  }

  async presign(key: string, wish: PresignWish): Promise<PresignedUrl> {
    const name = this.#nameOf(key);
    return this.#attempt(async ({ bucket, presigner }) => {
      const now = this.#options.clock.now();
      const signed = presigner.sign(name, wish, await bucket.credentials(), now);
      if (signed === undefined) {
        throw Object.assign(new Error('no others came'), { name: 'ExpiredToken' });
      }
      return signed;
    });
  }

  async remove(key: string): Promise<boolean> {
    if (!isMediaKey(key)) return false;
    const name = this.#nameOf(key);
    return this.#with(async ({ bucket }) => {
      if ((await bucket.head(name)) === undefined) return false;
      await bucket.delete(name);
      return true;
    });
  }

  async *keys(): AsyncIterable<string> {
    const pages = await this.#attempt(({ bucket }) =>
      bucket.names(this.#prefix)[Symbol.asyncIterator](),
    );
    for (;;) {
      const page = await this.#with(() => pages.next());
      if (page.done === true) return;
      for (const name of page.value) {
        const key = name.slice(name.lastIndexOf('/') + 1);
        if (isMediaKey(key) && this.#nameOf(key) === name) yield key;
      }
    }
  }

  #nameOf(key: string): string {
    return this.#prefix + mediaPath(key);
  }

  /** What is there already stays, unless its length shows damage. */
  async #put(
    sha256: string,
    sizeBytes: number,
    extension: string,
    open: () => Uint8Array | Readable,
  ): Promise<StoredMedia> {
    const key = `${sha256}.${extension}`;
    const name = this.#nameOf(key);
    const contentType =
      audioContentType(key) ?? artworkContentType(key) ?? 'application/octet-stream';
    await this.#with(async ({ bucket }) => {
      if ((await bucket.head(name))?.sizeBytes === sizeBytes) return;
      for (let attempt = 1; ; attempt++) {
        const body = open();
        try {
          return await bucket.put({ name, body, sizeBytes, sha256, contentType });
        } catch (error) {
          if (attempt === UPLOAD_ATTEMPTS || !isPassing(error)) throw error;
          await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
        } finally {
          if ('destroy' in body) body.destroy();
        }
      }
    });
    return { key, sizeBytes };
  }

  /** Asks the bucket something. */
  async #with<T>(work: (opened: Opened) => T | Promise<T>): Promise<T> {
    const done = await this.#attempt(work);
    if (this.#toldFault !== undefined) {
      this.#toldFault = undefined;
      this.#options.log.info({}, `${this.place} can be used again.`);
    }
    return done;
  }

  /** Does something with the bucket; whatever fails there is `unavailable`, and told to the log once. */
  async #attempt<T>(work: (opened: Opened) => T | Promise<T>): Promise<T> {
    const { log } = this.#options;
    try {
      this.#opening ??= this.#open();
      return await work(await this.#opening);
    } catch (error) {
      const fault = new OperatorError(`${this.place} cannot be used: ${reasonOf(error)}.`, {
        cause: error,
      });
      if (fault.message !== this.#toldFault) {
        this.#toldFault = fault.message;
        log.error({ err: error }, fault.message);
      }
      throw new StaveError('unavailable', 'The file cannot be reached now; try again later.', {
        headers: { 'Retry-After': String(RETRY_SECONDS) },
        cause: fault,
      });
    }
  }

  async #open(): Promise<Opened> {
    try {
      const { Bucket } = await import('./bucket.ts');
      const bucket = await Bucket.open(this.#options.bucket);
      return { bucket, presigner: new Presigner(bucket.target) };
    } catch (error) {
      // Credentials may come later: the next one to ask tries again.
      this.#opening = undefined;
      throw error;
    }
  }
}
