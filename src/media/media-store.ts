import type { Readable } from 'node:stream';
import { StaveError } from '../kernel/errors.ts';

/** Audio or artwork in the media store, under its content address. */
export interface StoredMedia {
  /** `<sha256 in hex>.<extension>`: names the bytes, so it never changes its meaning. */
  key: string;
  sizeBytes: number;
}

/** A byte range, both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** How a URL that the store itself answers is to work. */
export interface PresignWish {
  /** It works for this method alone. */
  method: 'GET' | 'HEAD';
  /** Whole seconds, at least 1. */
  seconds: number;
  /** What the store answers in `Content-Type` and `Cache-Control`. */
  contentType: string;
  cacheControl: string;
}

/** A URL that the store itself answers. */
export interface PresignedUrl {
  url: string;
  /** How long it lives from now; never more than was wished. */
  seconds: number;
}

/**
 * Where audio and artwork lie: a folder or a bucket. Content-addressed, so nothing is ever
 * overwritten. A store on other machines throws `unavailable` while it cannot be reached or used,
 * with an OperatorError as its cause that says why.
 */
export interface MediaStore {
  /** As the operator names it: the path of a folder, or `s3://bucket/prefix`. */
  readonly place: string;
  /** Whether it can be used now. Throws OperatorError with one line where not. */
  check(): Promise<void>;
  /** Copies a file in, by its content; the same bytes twice are stored once. Atomic: never half a file. */
  putFile(path: string, extension: string): Promise<StoredMedia>;
  putBytes(bytes: Uint8Array, extension: string): Promise<StoredMedia>;
  /** Undefined where there is no such key. */
  stat(key: string): Promise<{ sizeBytes: number; modifiedAt: Date } | undefined>;
  /** The bytes, or a range of them; throws not_found. Destroying the stream ends all work for it. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /**
   * A URL at which the store itself answers with the bytes, for a store that can. Does not look
   * whether there is such a key.
   */
  presign?(key: string, wish: PresignWish): Promise<PresignedUrl>;
  remove(key: string): Promise<boolean>;
  /** Every key, in no order. */
  keys(): AsyncIterable<string>;
}

/** A key names bytes and nothing else: no separator, no dot but one, so no path can be made of it. */
const KEY = /^[0-9a-f]{64}\.[a-z0-9]{1,8}$/;
const EXTENSION = /^[a-z0-9]{1,8}$/;

/** Whether the text has the form of a key. */
export function isMediaKey(text: string): boolean {
  return KEY.test(text);
}

/**
 * Where a key lies within a folder or beneath the prefix of a bucket, with `/`. The same in both, so
 * that the files of one may be copied to the other by any tool. Throws not_found for what is no key.
 */
export function mediaPath(key: string): string {
  if (!isMediaKey(key)) throw noSuchMedia();
  return `${key.slice(0, 2)}/${key}`;
}

/** Throws invalid_request unless a key may end in it. */
export function refuseUnlessExtension(extension: string): void {
  if (!EXTENSION.test(extension)) {
    throw new StaveError('invalid_request', 'A file extension has one to eight letters or digits.');
  }
}

/** What reading a key throws where there is none. */
export function noSuchMedia(): StaveError {
  return new StaveError('not_found', 'There is no such file in the media store.');
}
