import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { ByteRange } from '../../media/media-store.ts';
import { isAbsent } from './faults.ts';
import type { PresignCredentials, PresignTarget } from './presign.ts';
import { WatchedBody } from './watched-body.ts';

const CONNECT_MS = 2_000;
/** Until the head of an answer. */
const ANSWER_MS = 5_000;
/** Between any two pieces of a body. */
const IDLE_MS = 10_000;
/** A server writes an upload to all its disks before it answers. */
const UPLOAD_IDLE_MS = 30_000;
/** How often a request is tried. */
const ATTEMPTS = 2;

/** An object that is to be made; its digest is known before it is sent. */
export interface Upload {
  name: string;
  /** Bytes, or a stream of them, which cannot be tried again. */
  body: Uint8Array | Readable;
  sizeBytes: number;
  /** SHA-256 in hex; the server refuses other bytes. */
  sha256: string;
  contentType: string;
}

/**
 * One bucket, as the official SDK reaches it: the only file that knows the SDK, and loaded when a
 * bucket is first used. Region, endpoint and credentials are the SDK's own to find. Throws what the
 * SDK throws, but for objects that are not there.
 */
export class Bucket {
  readonly #name: string;
  readonly #reader: S3Client;
  /** Uploads take as long as they take while bytes flow. */
  readonly #writer: S3Client;
  /** Where and how URLs are signed. */
  readonly target: PresignTarget;

  private constructor(name: string, reader: S3Client, writer: S3Client, target: PresignTarget) {
    this.#name = name;
    this.#reader = reader;
    this.#writer = writer;
    this.target = target;
  }

  /** Finds out region, endpoint and credentials; asks the bucket nothing. */
  static async open(name: string): Promise<Bucket> {
    const first = new S3Client({});
    // Signing makes the SDK look for an endpoint; by which it is then known whether one was named.
    await probe(first, name);
    const forcePathStyle = first.config.endpoint !== undefined;
    first.destroy();
    const reader = new S3Client({
      ...common(forcePathStyle),
      requestHandler: {
        ...AGENTS,
        connectionTimeout: CONNECT_MS,
        requestTimeout: ANSWER_MS,
        throwOnRequestTimeout: true,
        // Of a body, WatchedBody takes the time: a reader may pause.
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
   * Throws unless the bucket is there and the credentials are good for it. Asks for a name, and not
   * by HEAD, whose answers have no body to say what is wrong; both need the same rights.
   */
  async check(): Promise<void> {
    await this.#reader.send(new ListObjectsV2Command({ Bucket: this.#name, MaxKeys: 1 }));
  }

  async head(name: string): Promise<{ sizeBytes: number; modifiedAt: Date } | undefined> {
    try {
      const found = await this.#reader.send(
        new HeadObjectCommand({ Bucket: this.#name, Key: name }),
      );
      return { sizeBytes: found.ContentLength ?? 0, modifiedAt: found.LastModified ?? new Date(0) };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  /** The bytes or exactly the range; undefined where there is no such object. */
  async get(name: string, range?: ByteRange): Promise<Readable | undefined> {
    try {
      const found = await this.#reader.send(
        new GetObjectCommand({
          Bucket: this.#name,
          Key: name,
          ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        }),
      );
      const body = new WatchedBody(found.Body as unknown as Readable, IDLE_MS);
      if (range && found.ContentLength !== range.end - range.start + 1) {
        body.destroy();
        throw new Error(
          `of the range ${range.start}-${range.end}, ${found.ContentLength} bytes came`,
        );
      }
      return body;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async put({ name, body, sizeBytes, sha256, contentType }: Upload): Promise<void> {
    const command = new PutObjectCommand({
      Bucket: this.#name,
      Key: name,
      Body: body,
      ContentLength: sizeBytes,
      ContentType: contentType,
    });
    // The digest is part of what is signed, and every server that checks signatures checks it: the
    // SDK's newer checksums are not understood by all.
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

  async delete(name: string): Promise<void> {
    await this.#reader.send(new DeleteObjectCommand({ Bucket: this.#name, Key: name }));
  }

  /** The names that begin so, in pages. */
  async *names(prefix: string, pageSize = 1_000): AsyncIterable<string[]> {
    let token: string | undefined;
    do {
      const page = await this.#reader.send(
        new ListObjectsV2Command({
          Bucket: this.#name,
          Prefix: prefix,
          MaxKeys: pageSize,
          ...(token !== undefined && { ContinuationToken: token }),
        }),
      );
      yield (page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  /** The SDK keeps them and gets new ones some minutes before they end. */
  credentials(): Promise<PresignCredentials> {
    return this.#reader.config.credentials();
  }
}

/** Each stream that a reader has paused holds a socket, so the SDK's 50 would be used up. */
const AGENTS = {
  httpAgent: { keepAlive: true, maxSockets: 10_000 },
  httpsAgent: { keepAlive: true, maxSockets: 10_000 },
};

function common(forcePathStyle: boolean): S3ClientConfig {
  return {
    forcePathStyle,
    maxAttempts: ATTEMPTS,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
}

/** Stands for the name of an object in the URL that the SDK is asked for. */
const PROBE = 'probe';

/** A URL of the SDK's own making, which costs no request. */
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
