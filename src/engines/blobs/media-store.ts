import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { StaveError } from '../../common/errors.ts';

/** Audio or artwork in the media store, under its content address. */
export interface StoredMedia {
  /** The key, `<sha256 in hex>.<extension>`. It identifies the bytes, so its meaning never changes. */
  key: string;
  sizeBytes: number;
}

/** A byte range with both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** The options of a presigned URL. */
export interface PresignOptions {
  /** The only method that the URL accepts. */
  method: 'GET' | 'HEAD';
  /** The lifetime in whole seconds, at least 1. */
  seconds: number;
  /** The `Content-Type` and `Cache-Control` of the store's response. */
  contentType: string;
  cacheControl: string;
}

/** A URL that the store itself serves. */
export interface PresignedUrl {
  url: string;
  /** The lifetime from now on, at most the requested one. */
  seconds: number;
}

/**
 * The storage of audio and artwork: a folder or a bucket. It is content-addressed, so nothing is ever
 * overwritten. A remote store throws `unavailable` while it cannot be reached or used; the cause is an
 * OperatorError with the reason.
 */
export interface MediaStore {
  /** The location for the operator: the path of a folder, or `s3://bucket/prefix`. */
  readonly place: string;
  /** Checks that the store can be used now. Throws an OperatorError otherwise. */
  check(): Promise<void>;
  /**
   * Copies a file into the store under its content address. Equal bytes are stored once. Atomic: a file is
   * never stored in part.
   */
  putFile(path: string, extension: string): Promise<StoredMedia>;
  putBytes(bytes: Uint8Array, extension: string): Promise<StoredMedia>;
  /** The size and the time of a file; undefined if the key does not exist. */
  stat(key: string): Promise<{ sizeBytes: number; modifiedAt: Date } | undefined>;
  /**
   * Reads a file, or a range of it. Throws not_found. Destroying the stream releases its resources.
   *
   * @param blockBytes how much to read at once, if the store can choose that; by default 64 KiB.
   */
  read(key: string, range?: ByteRange, blockBytes?: number): Promise<Readable>;
  /**
   * Makes a URL at which the store itself serves the file, if the store supports that. Does not check that
   * the key exists.
   */
  presign?(key: string, options: PresignOptions): Promise<PresignedUrl>;
  /**
   * The path of a file, if the store keeps files on this machine. The caller only reads it. Does not check that the key
   * exists. Throws not_found if the text is no key.
   */
  localPath?(key: string): string;
  remove(key: string): Promise<boolean>;
  /** Reads what `keepDerived` stored under a name; undefined if there is nothing. */
  readDerived(name: string): Promise<Buffer | undefined>;
  /**
   * Stores bytes that can be made again at any time, under a name that always means the same bytes, such as
   * `generated-1-….png`. They are not in `keys`, so a backup or a copy of the store does not include them.
   * Atomic: they are never stored in part.
   */
  keepDerived(name: string, bytes: Uint8Array): Promise<void>;
  /** All keys, in no particular order. */
  keys(): AsyncIterable<string>;
}

/** Whether the store can be read, and has files. A folder that is not mounted has none. */
export async function hasFiles(media: Pick<MediaStore, 'keys'>): Promise<boolean> {
  try {
    for await (const _ of media.keys()) return true;
  } catch {
    // It cannot be read.
  }
  return false;
}

/** The form of a key. It has no separator and only one dot, so it cannot be used as a path. */
const KEY = /^[0-9a-f]{64}\.[a-z0-9]{1,8}$/;
const EXTENSION = /^[a-z0-9]{1,8}$/;

/** Whether the text has the form of a key. */
export function isMediaKey(text: string): boolean {
  return KEY.test(text);
}

/**
 * The path of a key in a folder or below the prefix of a bucket, with `/`. It is the same in both, so that
 * any tool can copy the files from one to the other. Throws not_found if the text is not a key.
 */
export function mediaPath(key: string): string {
  if (!isMediaKey(key)) throw noSuchMedia();
  return `${key.slice(0, 2)}/${key}`;
}

/** The form of a name of derived bytes: one dot, and no separator. */
const DERIVED_NAME = /^[a-z0-9-]{1,80}\.[a-z0-9]{1,8}$/;

/**
 * The path of derived bytes, with `/`, beside the folders of the keys. Throws not_found if the text is not
 * such a name.
 */
export function derivedPath(name: string): string {
  if (!DERIVED_NAME.test(name)) throw noSuchMedia();
  return `derived/${hash('sha256', name).slice(0, 2)}/${name}`;
}

/** Throws invalid_request if a key cannot end with the extension. */
export function refuseUnlessExtension(extension: string): void {
  if (!EXTENSION.test(extension)) {
    throw new StaveError('invalid_request', 'A file extension has one to eight letters or digits.');
  }
}

/** The error for a key that does not exist. */
export function noSuchMedia(): StaveError {
  return new StaveError('not_found', 'There is no such file in the media store.');
}
