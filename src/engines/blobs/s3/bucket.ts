import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { ByteRange } from '../media-store.ts';
import { unlessAbsent } from './faults.ts';
import type { PresignCredentials, PresignTarget } from './presign.ts';

const CONNECT_MS = 2_000;
/** Until the head of a response. */
const RESPONSE_MS = 5_000;
/** Between two pieces of a body. */
const IDLE_MS = 10_000;
/** Without traffic during an upload: a server writes to all its disks before it responds. */
const UPLOAD_IDLE_MS = 30_000;

export interface Upload {
  name: string;
  /** The upload of a stream cannot be repeated. */
  body: Uint8Array | Readable;
  sizeBytes: number;
  /** SHA-256 in hex. The server refuses other bytes. */
  sha256: string;
  contentType: string;
}

/**
 * Only this file imports the SDK. It is loaded when a bucket is first used. The SDK finds region, endpoint and
 * credentials. Methods throw the errors of the SDK, except for missing objects.
 */
export class Bucket {
  readonly #name: string;
  readonly #reader: S3Client;
  /** For uploads, which have no time limit while bytes flow. */
  readonly #writer: S3Client;
  /** For signed URLs. */
  readonly target: PresignTarget;

  private constructor(name: string, reader: S3Client, writer: S3Client, target: PresignTarget) {
    this.#name = name;
    this.#reader = reader;
    this.#writer = writer;
    this.target = target;
  }

  /** Sends no request to the bucket. */
  static async open(name: string): Promise<Bucket> {
    const first = new S3Client({});
    // Signing makes the SDK resolve its endpoint, which shows whether one is configured.
    await probe(first, name);
    const forcePathStyle = first.config.endpoint !== undefined;
    first.destroy();
    const reader = new S3Client({
      ...common(forcePathStyle),
      requestHandler: {
        ...AGENTS,
        connectionTimeout: CONNECT_MS,
        requestTimeout: RESPONSE_MS,
        throwOnRequestTimeout: true,
        // WatchedBody limits the time of a body, because a reader may pause.
        socketTimeout: 0,
      },
    });
    const writer = new S3Client({
      ...common(forcePathStyle),
      requestHandler: {
        ...AGENTS,
        connectionTimeout: CONNECT_MS,
        requestTimeout: 0,
        socketTimeout: UPLOAD_IDLE_MS,
      },
    });
    return new Bucket(name, reader, writer, targetOf(await probe(reader, name)));
  }

  /**
   * Throws if the bucket is missing or the credentials are not valid for it. Lists one name, because a response to HEAD
   * has no body that explains an error. Both need the same rights.
   */
  async check(): Promise<void> {
    await this.#reader.send(new ListObjectsV2Command({ Bucket: this.#name, MaxKeys: 1 }));
  }

  async head(name: string): Promise<{ sizeBytes: number; modifiedAt: Date } | undefined> {
    const found = await this.#reader
      .send(new HeadObjectCommand({ Bucket: this.#name, Key: name }))
      .catch(unlessAbsent);
    return (
      found && {
        sizeBytes: found.ContentLength ?? 0,
        modifiedAt: found.LastModified ?? new Date(0),
      }
    );
  }

  /** Returns the object or exactly the range; undefined if there is no such object. */
  async get(name: string, range?: ByteRange): Promise<Readable | undefined> {
    const command = new GetObjectCommand({
      Bucket: this.#name,
      Key: name,
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
    });
    const found = await this.#reader.send(command).catch(unlessAbsent);
    if (found === undefined) return undefined;
    const body = new WatchedBody(found.Body as unknown as Readable, IDLE_MS);
    if (range && found.ContentLength !== range.end - range.start + 1) {
      body.destroy();
      throw new Error(
        `of the range ${range.start}-${range.end}, ${found.ContentLength} bytes came`,
      );
    }
    return body;
  }

  async put({ name, body, sizeBytes, sha256, contentType }: Upload): Promise<void> {
    const command = new PutObjectCommand({
      Bucket: this.#name,
      Key: name,
      Body: body,
      ContentLength: sizeBytes,
      ContentType: contentType,
    });
    // Every server checks this digest, because it is a part of the signature. Not all servers support the newer checksums
    // of the SDK.
    command.middlewareStack.add(
      (next) => (args) => {
        (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] =
          sha256;
        return next(args);
      },
      { step: 'build', name: 'knownDigest' },
    );
    await this.#writer.send(command);
  }

  /**
   * Stores an object of several parts, of which all but the last one have at least 5 MiB. It appears whole or not at all.
   *
   * @param repeated sends a part, possibly several times
   */
  async putParts(
    { name, contentType }: Pick<Upload, 'name' | 'contentType'>,
    parts: AsyncIterable<Buffer>,
    repeated: <T>(send: () => Promise<T>) => Promise<T>,
  ): Promise<void> {
    const object = { Bucket: this.#name, Key: name };
    const { UploadId } = await this.#writer.send(
      new CreateMultipartUploadCommand({ ...object, ContentType: contentType }),
    );
    const upload = { ...object, UploadId };
    try {
      const sent: { PartNumber: number; ETag: string | undefined }[] = [];
      for await (const Body of parts) {
        const PartNumber = sent.length + 1;
        // The SDK signs the digest of bytes in memory.
        const { ETag } = await repeated(() =>
          this.#writer.send(new UploadPartCommand({ ...upload, PartNumber, Body })),
        );
        sent.push({ PartNumber, ETag });
      }
      await this.#writer.send(
        new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: sent } }),
      );
    } catch (error) {
      await this.#writer.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
      throw error;
    }
  }

  async delete(name: string): Promise<void> {
    await this.#reader.send(new DeleteObjectCommand({ Bucket: this.#name, Key: name }));
  }

  /** The names with a prefix, in pages. */
  async *names(prefix: string, pageSize = 1_000): AsyncIterable<string[]> {
    const listing = { Bucket: this.#name, Prefix: prefix };
    for await (const page of paginateListObjectsV2({ client: this.#reader, pageSize }, listing)) {
      yield (page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
    }
  }

  /** The credentials. The SDK caches them and renews them some minutes before they expire. */
  credentials(): Promise<PresignCredentials> {
    return this.#reader.config.credentials();
  }
}

/** Each paused stream occupies a socket. The default of the SDK is 50. */
const AGENTS = {
  httpAgent: { keepAlive: true, maxSockets: 10_000 },
  httpsAgent: { keepAlive: true, maxSockets: 10_000 },
};

function common(forcePathStyle: boolean): S3ClientConfig {
  return {
    forcePathStyle,
    maxAttempts: 2,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
}

/** The name of the object in the URL of `probe`. */
const PROBE = 'probe';

/** Returns a URL that the SDK signs. Sends no request. */
async function probe(client: S3Client, bucket: string): Promise<URL> {
  return new URL(await getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: PROBE })));
}

function targetOf(url: URL): PresignTarget {
  const scope = url.searchParams.get('X-Amz-Credential')!.split('/').slice(-4);
  return {
    origin: url.origin,
    host: url.host,
    basePath: url.pathname.slice(0, -`/${PROBE}`.length),
    region: scope[1]!,
  };
}

/**
 * Fails if its reader waits for bytes too long. Time does not count while the reader pauses, as players do. Destroying
 * the body ends the response, and with it the connection.
 */
export class WatchedBody extends Readable {
  readonly #source: Readable;
  readonly #idleMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(source: Readable, idleMs: number) {
    super();
    this.#source = source;
    this.#idleMs = idleMs;
    source.on('data', (chunk: Buffer) => {
      clearTimeout(this.#timer);
      if (!this.push(chunk)) {
        source.pause();
      }
    });
    source.once('end', () => {
      clearTimeout(this.#timer);
      this.push(null);
    });
    source.once('error', (error) => this.destroy(error));
    // A response that breaks off may close without an error.
    source.once('close', () => {
      if (!source.readableEnded) {
        this.destroy(new Error('the response was cut off'));
      }
    });
    source.pause();
  }

  override _read(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.destroy(new Error(`no bytes came for ${this.#idleMs} ms`)),
      this.#idleMs,
    );
    this.#source.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#source.destroy();
    callback(error);
  }
}
