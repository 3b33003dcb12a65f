import { id3Size } from '../content.ts';
import type { AudioTags } from './audio-tags.ts';
import { type Id3Frame, id3Tag } from './id3.ts';
import { readId3 } from './id3-frames.ts';
import { NotTaggable, planOf, type RandomAccess, readAll, type SplicePlan } from './splice.ts';

/** Real files have one, and rarely two. */
const MAX_TAGS = 4;

/** Replaces the ID3v2 tags at the beginning of a file of MPEG audio by one of version 2.4, or begins the file with one. */
export async function tagMp3(file: RandomAccess, tags: AudioTags): Promise<SplicePlan> {
  const delivered: Id3Frame[] = [];
  let start = 0;
  for (let count = 0; ; count++) {
    const size = id3Size(await file.read(start, 10));
    if (size === 0) break;
    if (count === MAX_TAGS) throw new NotTaggable('The file has too many ID3 tags.');
    delivered.push(...readId3(await readAll(file, start, size)));
    start += size;
  }
  return planOf([id3Tag(tags, delivered), { start, end: file.sizeBytes }]);
}
