import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { StaveError } from '../../common/errors.ts';

export interface StoredMedia {
  /** `<sha256 in hex>.<extension>`. It identifies the bytes, so its meaning never changes. */
  key: string;
  sizeBytes: number;
}

/** Includes both ends. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface PresignOptions {
  /** The only method that the URL accepts. */
  method: 'GET' | 'HEAD';
  /** The lifetime in whole seconds; at least 1. */
  seconds: number;
  /** The store sends these headers. */
  contentType: string;
  cacheControl: string;
  contentDisposition?: string | undefined;
}

/** A URL that the store itself serves. */
export interface PresignedUrl {
  url: string;
  /** The lifetime from now on, at most the requested one. */
  seconds: number;
}

/**
 * The storage of audio and artwork: a folder or a bucket. It is content-addressed, so nothing is ever overwritten. A
 * remote store throws `unavailable` while it cannot be used. Its cause is an OperatorError with the reason.
 */
export interface MediaStore {
  /** For the operator: the path of a folder, or `s3://bucket/prefix`. */
  readonly place: string;
  /** Throws an OperatorError if the store cannot be used now. */
  check(): Promise<void>;
  /**
   * Copies a file into the store under its content address. Stores equal bytes once, and never stores a part of a file.
   */
  putFile(path: string, extension: string): Promise<StoredMedia>;
  putBytes(bytes: Uint8Array, extension: string): Promise<StoredMedia>;
  /** Undefined if the key does not exist. */
  stat(key: string): Promise<{ sizeBytes: number; modifiedAt: Date } | undefined>;
  /**
   * Reads a file, or a range of it. Throws not_found. Destroying the stream releases its resources.
   *
   * @param blockBytes how much to read at once, if the store can choose that; by default 64 KiB.
   */
  read(key: string, range?: ByteRange, blockBytes?: number): Promise<Readable>;
  /**
   * Makes a URL at which the store itself serves the file, if it supports that. Does not check that the key exists.
   */
  presign?(key: string, options: PresignOptions): Promise<PresignedUrl>;
  /**
   * The path of a file, if the store is on this machine. The caller must only read the file. Does not check that the key
   * exists. Throws not_found if the text is not a key.
   */
  localPath?(key: string): string;
  remove(key: string): Promise<boolean>;
  /** Reads what `keepDerived` has stored; undefined if there is nothing. */
  readDerived(name: string): Promise<Buffer | undefined>;
  /**
   * Stores bytes that can be made again at any time, under a name that always means the same bytes, such as
   * `generated-1-….png`. They are not in `keys`, so a backup or a copy of the store does not include them. Never stores a
   * part of them.
   */
  keepDerived(name: string, bytes: Uint8Array): Promise<void>;
  /** As `keepDerived`, for a file of any length on this machine. */
  keepDerivedFile(name: string, path: string): Promise<void>;
  /** Reads a range of derived bytes; undefined if there are none. Destroying the stream releases its resources. */
  openDerived(name: string, range: ByteRange): Promise<Readable | undefined>;
  /** Removes derived bytes, if there are any. */
  removeDerived(name: string): Promise<void>;
  /** All keys, in any order. */
  keys(): AsyncIterable<string>;
}

/** Returns false if the store cannot be read. A folder that is not mounted has no files. */
export async function hasFiles(media: Pick<MediaStore, 'keys'>): Promise<boolean> {
  try {
    for await (const _ of media.keys()) return true;
  } catch {
    // The store cannot be read.
  }
  return false;
}

/** Without separators and with only one dot, so it cannot be used as a path. */
const KEY = /^[0-9a-f]{64}\.[a-z0-9]{1,8}$/;
const EXTENSION = /^[a-z0-9]{1,8}$/;

export function isMediaKey(text: string): boolean {
  return KEY.test(text);
}

/**
 * The path of a key in a folder or below the prefix of a bucket, with `/`. Both use the same path, so that any tool can
 * copy the files from one to the other. Throws not_found if the text is not a key.
 */
export function mediaPath(key: string): string {
  if (!isMediaKey(key)) throw noSuchMedia();
  return `${key.slice(0, 2)}/${key}`;
}

const DERIVED_NAME = /^[a-z0-9-]{1,80}\.[a-z0-9]{1,8}$/;

/** The path of derived bytes, with `/`, beside the folders of the keys. Throws not_found for any other text. */
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

export function noSuchMedia(): StaveError {
  return new StaveError('not_found', 'There is no such file in the media store.');
}
