import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip, gzipSync } from 'node:zlib';
import { StaveError } from '../../../common/errors.ts';

/** How specifically a media range names `application/json` (RFC 9110 §12.5.1). */
const CLOSENESS = new Map([
  ['*/*', 1],
  ['application/*', 2],
  ['application/json', 3],
]);

/**
 * Whether an `Accept` header accepts JSON. The weight of the most specific range that matches decides. An
 * absent or empty header accepts everything.
 */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') {
    return true;
  }
  if (accept.trim() === '') {
    return true;
  }
  let closest = 0;
  let weight = 0;
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const closeness = CLOSENESS.get(type) ?? 0;
    if (closeness === 0 || closeness < closest) {
      continue;
    }
    const q = weightOf(parameters);
    weight = closeness === closest ? Math.max(weight, q) : q;
    closest = closeness;
  }
  return weight > 0;
}

/** Throws a 406 if the caller accepts no JSON (docs/contract/http.md#order-of-checks). */
export function refuseUnlessJsonAccepted({ headers }: IncomingMessage): void {
  if (!acceptsJson(headers.accept)) {
    throw new StaveError('not_acceptable', 'The response is JSON; Accept must allow it.');
  }
}

/** Returns the weight (`q`) in the parameters of a range: 1 by default, 0 if it is malformed (§12.4.2). */
function weightOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (text === undefined) {
    return 1;
  }
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}

/** Smaller responses fit into one or two packets, so compression would not make them arrive earlier. */
const COMPRESSED_FROM_BYTES = 1024;

/**
 * Up to this size, the serving thread compresses a body itself. In another thread, a small body would cost
 * more in total, and would wait for file access (bench/results/2026-11-22-gzip.md).
 */
const AT_ONCE_BYTES = 32 * 1024;

/** The maximum number of concurrent compressions in other threads, which also do all file access. */
const MAX_UNDER_WAY = 16;

/** The fastest level: on pages of tracks, higher levels save less than 1 % more. */
const OPTIONS = { level: constants.Z_BEST_SPEED };

const COMPRESSIBLE = /^(?:application\/json|text\/)/;

/** Keeps the compressed bytes of an envelope, so that it is compressed once. */
export interface Compression {
  gzipped(): Buffer | undefined;
  onGzipped(bytes: Buffer): void;
}

const gzipBeside = promisify<Buffer, typeof OPTIONS, Buffer>(gzip);
let underWay = 0;

/** Whether a body of this type and size is worth compressing; pictures and audio are not. */
export function isCompressible(contentType: string, bytes: Buffer): boolean {
  return bytes.length > COMPRESSED_FROM_BYTES && COMPRESSIBLE.test(contentType);
}

/**
 * Compresses bytes, synchronously or, if they are long, in another thread. Returns undefined if too many
 * compressions are under way; the response is then sent uncompressed. Never rejects.
 */
export function gzipped(bytes: Buffer): Buffer | Promise<Buffer | undefined> | undefined {
  if (bytes.length <= AT_ONCE_BYTES) {
    return gzipSync(bytes, OPTIONS);
  }
  if (underWay >= MAX_UNDER_WAY) {
    return undefined;
  }
  underWay++;
  return gzipBeside(bytes, OPTIONS)
    .catch(() => undefined)
    .finally(() => {
      underWay--;
    });
}

/**
 * Whether an `Accept-Encoding` header accepts gzip (RFC 9110 §12.5.3). The weight of gzip decides, or that of
 * `*` if gzip is not listed. Without the header, nothing is compressed, because the client may not support
 * gzip.
 */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) {
    return false;
  }
  let ofGzip: number | undefined;
  let ofAny = 0;
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = weightOf(parameters);
    if (coding === 'gzip' || coding === 'x-gzip') {
      ofGzip = Math.max(ofGzip ?? 0, weight);
    } else if (coding === '*') {
      ofAny = weight;
    }
  }
  return (ofGzip ?? ofAny) > 0;
}
