import type { Readable } from 'node:stream';

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

/** Where audio and artwork lie: a folder, later a bucket. Content-addressed, so nothing is ever overwritten. */
export interface MediaStore {
  /** Copies a file in, by its content; the same bytes twice are stored once. Atomic: never half a file. */
  putFile(path: string, extension: string): Promise<StoredMedia>;
  putBytes(bytes: Uint8Array, extension: string): Promise<StoredMedia>;
  /** Undefined where there is no such key. */
  stat(key: string): Promise<{ sizeBytes: number; modifiedAt: Date } | undefined>;
  /** The bytes, or a range of them; throws not_found. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** The folder and the file name within it, where the store is a folder; for a file server. */
  location(key: string): { root: string; path: string };
  remove(key: string): Promise<boolean>;
  /** Every key, in no order. */
  keys(): AsyncIterable<string>;
}
