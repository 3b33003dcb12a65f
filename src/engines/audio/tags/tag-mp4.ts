import type { AudioTags } from './audio-tags.ts';
import { boxesAt, boxHeader, boxOf } from './mp4-boxes.ts';
import { taggedMoov } from './mp4-list.ts';
import { NotTaggable, planOf, type RandomAccess, readAll, type SplicePlan } from './splice.ts';

const MAX_BOXES = 1000;
const MAX_UINT32 = 2 ** 32 - 1;

/**
 * Replaces the box `moov` of an MP4 file, and shifts the offsets of the audio after it. Files of fragments, whose offsets
 * are all over the file, are not taggable.
 */
export async function tagMp4(file: RandomAccess, tags: AudioTags): Promise<SplicePlan> {
  const { start, end, content } = await findMoov(file);
  const tagged = boxOf('moov', taggedMoov(await readAll(file, content, end - content), tags));
  shiftOffsets(tagged, end, tagged.length - (end - start));
  return planOf([{ start: 0, end: start }, tagged, { start: end, end: file.sizeBytes }]);
}

/** Returns the offsets of the box `moov` and of its content. Throws NotTaggable. */
export async function findMoov(file: RandomAccess) {
  let found: { start: number; content: number; end: number } | undefined;
  let at = 0;
  for (let count = 0; at < file.sizeBytes; count++) {
    if (count === MAX_BOXES) throw new NotTaggable('The MP4 file has too many boxes.');
    const { type, headBytes, size } = boxHeader(await file.read(at, 16), file.sizeBytes - at);
    if (type === 'moof') throw new NotTaggable('The MP4 file has fragments.');
    if (type === 'moov') found = { start: at, content: at + headBytes, end: at + size };
    at += size;
  }
  if (found === undefined) throw new NotTaggable('The MP4 file has no box moov.');
  return found;
}

/** Adds a distance to the offsets of the audio from an offset on. */
function shiftOffsets(moov: Buffer, from: number, distance: number): void {
  const path = [['moov'], ['trak'], ['mdia'], ['minf'], ['stbl'], ['stco', 'co64']];
  const tables = boxesAt(moov, path);
  for (const { type, start, end } of tables) {
    const count = moov.readUInt32BE(start + 4);
    const bytes = type === 'stco' ? 4 : 8;
    if (start + 8 + count * bytes > end)
      throw new NotTaggable('A list of offsets is not complete.');
    for (let at = start + 8, i = 0; i < count; i++, at += bytes) {
      if (type === 'co64') {
        const offset = moov.readBigUInt64BE(at);
        if (offset >= from) moov.writeBigUInt64BE(offset + BigInt(distance), at);
      } else {
        const offset = moov.readUInt32BE(at);
        if (offset + distance > MAX_UINT32) throw new NotTaggable('The MP4 file is too large.');
        if (offset >= from) moov.writeUInt32BE(offset + distance, at);
      }
    }
  }
}
