import { Readable } from 'node:stream';
import type { ByteRange } from '../../blobs/media-store.ts';
import type { AudioTags } from './audio-tags.ts';
import { planTags } from './plan-tags.ts';
import { type RandomAccess, readPlan, type SplicePlan } from './splice.ts';

/** The least PNG: one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);

export const TAGS: AudioTags = {
  title: 'Björk & 夜 <Ferry>',
  artists: ['Mara Lindt', 'Second'],
  isrc: 'QZES72400137',
  iswc: 'T-034.524.680-1',
  composers: ['A. Writer', 'B. Writer'],
  publishers: ['Harbor Music'],
  album: 'Crossings – 夜',
  copyright: '2026 Harbor Music',
  cover: { contentType: 'image/png', bytes: PNG },
  texts: [
    ['LICENSE', '2026-000123-7K2QX9MD'],
    ['LICENSEE', 'Lighthouse Film GmbH'],
    ['TERRITORIES', 'DE, AT'],
    ['TERM', '2026-12-01T00:00:00.000Z/2027-12-01T00:00:00.000Z'],
  ],
  licenseUrl: 'https://api.house.example/v1/licenses/2026-000123-7K2QX9MD/verify',
};

export function inMemory(bytes: Buffer): RandomAccess {
  return {
    sizeBytes: bytes.length,
    read: async (offset, length) => bytes.subarray(offset, offset + length),
  };
}

/** Reads a plan, in pieces that begin and end at no boundary of a format. */
export async function readTagged(
  plan: SplicePlan,
  delivered: Buffer,
  range?: ByteRange,
): Promise<Buffer> {
  const open = async ({ start, end }: ByteRange) =>
    Readable.from(piecesOf(delivered, start, end + 1));
  const pieces: Buffer[] = [];
  for await (const piece of readPlan(plan, open, range)) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function* piecesOf(bytes: Buffer, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += 10_007) yield bytes.subarray(at, Math.min(at + 10_007, end));
}

/** Returns a file with tags. Throws if it is not taggable. */
export async function tagged(delivered: Buffer, extension: string, tags = TAGS): Promise<Buffer> {
  const plan = await planTags(inMemory(delivered), extension, tags);
  if (plan === undefined) throw new Error('The file is not taggable.');
  return readTagged(plan, delivered);
}
