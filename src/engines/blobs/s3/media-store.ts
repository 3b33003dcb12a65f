import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../common/clock.ts';
import { OperatorError, StaveError } from '../../../common/errors.ts';
import { digestOf } from '../../../common/files.ts';
import type { Log } from '../../../common/log.ts';
import { artworkContentType, audioContentType } from '../content-types.ts';
import {
  type ByteRange,
  derivedPath,
  isMediaKey,
  type MediaStore,
  mediaPath,
  noSuchMedia,
  type PresignedUrl,
  type PresignOptions,
  refuseUnlessExtension,
  type StoredMedia,
} from '../media-store.ts';
import type { Bucket, Upload } from './bucket.ts';
import { isPassing, reasonOf } from './faults.ts';
import { Presigner } from './presign.ts';

const UPLOAD_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 200;

const RETRY_SECONDS = 5;

/** Servers take up to 5 GB in one request. */
const SINGLE_BYTES = 1024 ** 3;
const PART_BYTES = 64 * 1024 ** 2;
const MAX_PARTS = 10_000;

interface S3MediaStoreOptions {
  bucket: string;
  /** The prefix of all names, without slashes around it; may be empty. */
  prefix: string;
  clock: Clock;
  log: Log;
  /** Larger files are sent in parts. */
  singleBytes?: number;
  partBytes?: number;
}

interface Opened {
  bucket: Bucket;
  presigner: Presigner;
}

/**
 * The objects have the names of files in a media folder. The store loads the SDK and connects to the bucket when it is
 * first used, so that a command without media works without the bucket.
 */
export class S3MediaStore implements MediaStore {
  readonly place: string;
  readonly #options: S3MediaStoreOptions;
  /** With a slash at the end, or empty. */
  readonly #prefix: string;
  #opening: Promise<Opened> | undefined;
  /** The last logged error, so that each request does not log it again. */
  #loggedFault: string | undefined;

  constructor(options: S3MediaStoreOptions) {
    const { bucket, prefix } = options;
    this.#options = options;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    this.place = `s3://${prefix === '' ? bucket : `${bucket}/${prefix}`}`;
  }

  async check(): Promise<void> {
    try {
      await this.#tried(({ bucket }) => bucket.check());
    } catch (error) {
      throw (error as StaveError).cause;
    }
  }

  async putFile(path: string, extension: string): Promise<StoredMedia> {
    refuseUnlessExtension(extension);
    const { sha256, sizeBytes } = await digestOf(createReadStream(path));
    return this.#put(sha256, sizeBytes, extension, (options) => createReadStream(path, options));
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

  async presign(key: string, options: PresignOptions): Promise<PresignedUrl> {
    const name = this.#nameOf(key);
    return this.#attempt(async ({ bucket, presigner }) => {
      const now = this.#options.clock.now();
      const signed = presigner.sign(name, options, await bucket.credentials(), now);
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

  async readDerived(name: string): Promise<Buffer | undefined> {
    const path = this.#prefix + derivedPath(name);
    const body = await this.#with(({ bucket }) => bucket.get(path));
    return body && Buffer.concat(await body.toArray());
  }

  async keepDerived(name: string, bytes: Uint8Array): Promise<void> {
    const upload = {
      name: this.#prefix + derivedPath(name),
      body: bytes,
      sizeBytes: bytes.byteLength,
      sha256: hash('sha256', bytes),
      contentType: artworkContentType(name) ?? 'application/octet-stream',
    };
    await this.#with(({ bucket }) => bucket.put(upload));
  }

  async keepDerivedFile(name: string, path: string): Promise<void> {
    const { sha256, sizeBytes } = await digestOf(createReadStream(path));
    const contentType = audioContentType(name) ?? 'application/octet-stream';
    const object = { name: this.#prefix + derivedPath(name), contentType, sha256, sizeBytes };
    await this.#with(({ bucket }) =>
      this.#send(bucket, object, (options) => createReadStream(path, options)),
    );
  }

  async openDerived(name: string, range: ByteRange): Promise<Readable | undefined> {
    const path = this.#prefix + derivedPath(name);
    return this.#with(({ bucket }) => bucket.get(path, range));
  }

  async removeDerived(name: string): Promise<void> {
    const path = this.#prefix + derivedPath(name);
    await this.#with(async ({ bucket }) => {
      if ((await bucket.head(path)) !== undefined) await bucket.delete(path);
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

  /** An existing object stays, unless its length shows that it is damaged. */
  async #put(
    sha256: string,
    sizeBytes: number,
    extension: string,
    open: (options?: { highWaterMark: number }) => Uint8Array | Readable,
  ): Promise<StoredMedia> {
    const key = `${sha256}.${extension}`;
    const name = this.#nameOf(key);
    const contentType =
      audioContentType(key) ?? artworkContentType(key) ?? 'application/octet-stream';
    await this.#with(async ({ bucket }) => {
      if ((await bucket.head(name))?.sizeBytes === sizeBytes) return;
      await this.#send(bucket, { name, contentType, sha256, sizeBytes }, open);
    });
    return { key, sizeBytes };
  }

  async #send(
    bucket: Bucket,
    object: Omit<Upload, 'body'>,
    open: (options?: { highWaterMark: number }) => Uint8Array | Readable,
  ): Promise<void> {
    const { singleBytes = SINGLE_BYTES, partBytes = PART_BYTES } = this.#options;
    const { sizeBytes, sha256 } = object;
    if (sizeBytes > singleBytes) {
      const highWaterMark = Math.max(partBytes, Math.ceil(sizeBytes / MAX_PARTS));
      const parts = checked(open({ highWaterMark }) as Readable, sha256);
      return bucket.putParts(object, parts, repeated);
    }
    await repeated(async () => {
      const body = open();
      try {
        await bucket.put({ ...object, body });
      } finally {
        if ('destroy' in body) body.destroy();
      }
    });
  }

  /** Like `#attempt`, and logs that the bucket can be used again. */
  async #with<T>(work: (opened: Opened) => T | Promise<T>): Promise<T> {
    const done = await this.#attempt(work);
    if (this.#loggedFault !== undefined) {
      this.#loggedFault = undefined;
      this.#options.log.info({}, `${this.place} can be used again.`);
    }
    return done;
  }

  /** Like `#tried`, and logs the first of equal errors. */
  async #attempt<T>(work: (opened: Opened) => T | Promise<T>): Promise<T> {
    try {
      return await this.#tried(work);
    } catch (error) {
      const fault = (error as StaveError).cause as OperatorError;
      if (fault.message !== this.#loggedFault) {
        this.#loggedFault = fault.message;
        this.#options.log.error({ err: fault.cause }, fault.message);
      }
      throw error;
    }
  }

  /** Any failure becomes `unavailable`, with an OperatorError as its cause. */
  async #tried<T>(work: (opened: Opened) => T | Promise<T>): Promise<T> {
    try {
      this.#opening ??= this.#open();
      return await work(await this.#opening);
    } catch (error) {
      const fault = new OperatorError(`${this.place} cannot be used: ${reasonOf(error)}.`, {
        cause: error,
      });
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
      // Credentials may appear later, so the next request tries again.
      this.#opening = undefined;
      throw error;
    }
  }
}

async function repeated<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt === UPLOAD_ATTEMPTS || !isPassing(error)) throw error;
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

/** Throws at the end if the bytes are not those of the hash. */
async function* checked(chunks: AsyncIterable<Buffer>, sha256: string): AsyncGenerator<Buffer> {
  const whole = createHash('sha256');
  for await (const chunk of chunks) {
    whole.update(chunk);
    yield chunk;
  }
  if (whole.digest('hex') !== sha256) throw new Error('the file was changed meanwhile');
}
