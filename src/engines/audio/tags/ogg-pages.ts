import { NotTaggable, type RandomAccess, readAll } from './splice.ts';

/** A page of Ogg (RFC 3533). */
export interface OggPage {
  header: Buffer;
  serial: number;
  /** Its number in its stream. */
  sequence: number;
  isFirst: boolean;
  /** How long each part of a packet is. A part shorter than 255 ends its packet. */
  lacing: Buffer;
  body: Buffer;
}

const HEADER_BYTES = 27;
const MAX_LACING = 255;
const IS_CONTINUED = 1;
const IS_FIRST = 2;
const IS_LAST = 4;

export async function readPage(file: RandomAccess, at: number): Promise<OggPage> {
  const fixed = await readAll(file, at, HEADER_BYTES);
  if (!isPage(fixed)) throw new NotTaggable('A page of the Ogg file is missing.');
  const lacing = await readAll(file, at + HEADER_BYTES, fixed[26]!);
  const body = await readAll(file, at + HEADER_BYTES + lacing.length, sum(lacing));
  return {
    header: fixed,
    serial: fixed.readUInt32LE(14),
    sequence: fixed.readUInt32LE(18),
    isFirst: (fixed[5]! & IS_FIRST) !== 0,
    lacing,
    body,
  };
}

export function sizeOfPage({ lacing, body }: OggPage): number {
  return HEADER_BYTES + lacing.length + body.length;
}

/** Writes packets of headers into pages, the last of which ends with the last packet. */
export function pagesOf(
  packets: readonly Buffer[],
  { serial, sequence }: Pick<OggPage, 'serial' | 'sequence'>,
): Buffer[] {
  const lacing = packets.flatMap(({ length }) => [
    ...Array<number>(Math.floor(length / 255)).fill(255),
    length % 255,
  ]);
  const body = Buffer.concat(packets);
  const pages: Buffer[] = [];
  let at = 0;
  for (let i = 0; i < lacing.length; i += MAX_LACING) {
    const some = Buffer.from(lacing.slice(i, i + MAX_LACING));
    const header = Buffer.alloc(HEADER_BYTES);
    header.write('OggS', 'latin1');
    header[5] = i > 0 && lacing[i - 1] === 255 ? IS_CONTINUED : 0;
    // A page on which no packet ends has no position.
    header.writeBigInt64LE(some.some((length) => length < 255) ? 0n : -1n, 6);
    header.writeUInt32LE(serial, 14);
    header.writeUInt32LE(sequence + pages.length, 18);
    header[26] = some.length;
    const page = Buffer.concat([header, some, body.subarray(at, at + sum(some))]);
    at += sum(some);
    pages.push(withChecksum(page));
  }
  return pages;
}

/**
 * Adds a distance to the numbers of the pages of a stream, up to its last one. Bytes that are no pages stay as they are.
 */
export function renumbered(serial: number, distance: number) {
  return async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let rest: Buffer = Buffer.alloc(0);
    let isDone = false;
    for await (const piece of pieces) {
      if (isDone) {
        yield piece;
        continue;
      }
      rest = Buffer.concat([rest, piece]);
      const whole: Buffer[] = [];
      let at = 0;
      while (!isDone && at + HEADER_BYTES <= rest.length) {
        if (!isPage(rest.subarray(at))) {
          isDone = true;
          break;
        }
        const bodyAt = at + HEADER_BYTES + rest[at + 26]!;
        const end = bodyAt + sum(rest.subarray(at + HEADER_BYTES, bodyAt));
        if (bodyAt > rest.length || end > rest.length) break;
        const page = Buffer.from(rest.subarray(at, end));
        if (page.readUInt32LE(14) === serial) {
          page.writeUInt32LE((page.readUInt32LE(18) + distance) >>> 0, 18);
          isDone = (page[5]! & IS_LAST) !== 0;
        }
        whole.push(withChecksum(page));
        at = end;
      }
      rest = rest.subarray(at);
      if (isDone) {
        whole.push(rest);
        rest = Buffer.alloc(0);
      }
      if (whole.length > 0) yield Buffer.concat(whole);
    }
    yield rest;
  };
}

function isPage(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'OggS' && bytes[4] === 0;
}

function sum(lacing: Buffer): number {
  let bytes = 0;
  for (const length of lacing) bytes += length;
  return bytes;
}

/** The polynomial of the checksum of Ogg. Unlike that of ZIP, it is not reflected. */
const POLYNOMIAL = 0x04c1_1db7;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 24;
  for (let bit = 0; bit < 8; bit++) {
    remainder = remainder < 0 ? (remainder << 1) ^ POLYNOMIAL : remainder << 1;
  }
  return remainder;
});

function withChecksum(page: Buffer): Buffer {
  page.writeUInt32LE(0, 22);
  let checksum = 0;
  for (const byte of page) checksum = (checksum << 8) ^ TABLE[(checksum >>> 24) ^ byte]!;
  page.writeUInt32LE(checksum >>> 0, 22);
  return page;
}
