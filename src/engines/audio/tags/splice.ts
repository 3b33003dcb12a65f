import type { Readable } from 'node:stream';
import type { ByteRange } from '../../blobs/media-store.ts';

/** A file that is read at any place. */
export interface RandomAccess {
  sizeBytes: number;
  /** Returns fewer than `length` bytes only at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** A part of a file, up to the offset `end`. */
export interface FilePart {
  start: number;
  end: number;
  /** Changes the bytes while they are sent, but not their number. */
  change?: (bytes: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;
}

/** A file that is made of new bytes and of parts of another one. */
export interface SplicePlan {
  segments: readonly (Uint8Array | FilePart)[];
  sizeBytes: number;
}

/** The most bytes of tags that are read from a file, or of one chunk of them. */
const MAX_TAG_BYTES = 16 * 1024 * 1024;

/** A file that cannot be changed without a risk for its audio. */
export class NotTaggable extends Error {}

/** Reads bytes that must be there. Throws NotTaggable if they are not, or are too many to be tags. */
export async function readAll(file: RandomAccess, offset: number, length: number): Promise<Buffer> {
  if (length > MAX_TAG_BYTES) throw new NotTaggable('The tags are too large.');
  const bytes = await file.read(offset, length);
  if (bytes.length < length) throw new NotTaggable('The file ends too early.');
  return bytes;
}

/** Empty segments are left out, and adjacent parts of the file joined. */
export function planOf(segments: readonly (Uint8Array | FilePart)[]): SplicePlan {
  const kept: (Uint8Array | FilePart)[] = [];
  for (const segment of segments) {
    const last = kept.at(-1);
    if (
      isPart(segment) &&
      isPart(last) &&
      last.end === segment.start &&
      !hasChange(last, segment)
    ) {
      kept[kept.length - 1] = { start: last.start, end: segment.end };
    } else if (sizeOf(segment) > 0) {
      kept.push(segment);
    }
  }
  return { segments: kept, sizeBytes: kept.reduce((sum, segment) => sum + sizeOf(segment), 0) };
}

/**
 * Reads a range of a plan. Ending the iteration closes the file that it reads.
 *
 * @param open opens a part of the delivered file
 */
export async function* readPlan(
  { segments, sizeBytes }: SplicePlan,
  open: (part: ByteRange) => Promise<Readable>,
  range: ByteRange = { start: 0, end: sizeBytes - 1 },
): AsyncGenerator<Uint8Array> {
  const from = range.start;
  const to = range.end + 1;
  let at = 0;
  for (const segment of segments) {
    const size = sizeOf(segment);
    const start = Math.max(0, from - at);
    const end = Math.min(size, to - at);
    at += size;
    if (start >= end) continue;
    if (!isPart(segment)) {
      yield segment.subarray(start, end);
    } else if (segment.change === undefined) {
      yield* exactly(open, segment.start + start, segment.start + end);
    } else {
      // What a change makes of a byte may depend on all before it.
      const all = exactly(open, segment.start, segment.end);
      yield* slice(segment.change(all), start, end);
    }
  }
}

/** Fails if the file has become shorter: the length of the response was promised. */
async function* exactly(
  open: (range: ByteRange) => Promise<Readable>,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  let left = end - start;
  for await (const bytes of await open({ start, end: end - 1 })) {
    left -= (bytes as Buffer).length;
    yield bytes as Buffer;
  }
  if (left !== 0) throw new Error('The file has another length than its tags were made for.');
}

async function* slice(
  pieces: AsyncIterable<Buffer>,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const piece of pieces) {
    const part = piece.subarray(Math.max(0, start - at), Math.max(0, end - at));
    if (part.length > 0) yield part;
    at += piece.length;
    if (at >= end) return;
  }
}

function isPart(segment: Uint8Array | FilePart | undefined): segment is FilePart {
  return segment !== undefined && !(segment instanceof Uint8Array);
}

function hasChange(...parts: readonly FilePart[]): boolean {
  return parts.some(({ change }) => change !== undefined);
}

function sizeOf(segment: Uint8Array | FilePart): number {
  return isPart(segment) ? segment.end - segment.start : segment.length;
}
