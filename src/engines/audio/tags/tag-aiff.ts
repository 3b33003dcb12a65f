import type { AudioTags } from './audio-tags.ts';
import { chunkOf, endOf, listChunks, wholeChunk } from './chunk-list.ts';
import { id3Tag } from './id3.ts';
import { readId3 } from './id3-frames.ts';
import { NotTaggable, planOf, type RandomAccess, readAll, type SplicePlan } from './splice.ts';

const HEAD_BYTES = 12;
const ID3 = 'ID3 ';
/** Chunks of the title and the artists, which would contradict the tag. */
const OURS = ['NAME', 'AUTH'];
const MAX_FORM_BYTES = 2 ** 32 - 1;

/** Writes an `ID3 ` chunk after the other ones of an AIFF file. */
export async function tagAiff(file: RandomAccess, tags: AudioTags): Promise<SplicePlan> {
  const head = await readAll(file, 0, HEAD_BYTES);
  const formEnd = Math.min(8 + head.readUInt32BE(4), file.sizeBytes);
  const form = { start: HEAD_BYTES, end: formEnd, audio: 'SSND' };
  const chunks = await listChunks(file, form, (header) => header.readUInt32BE(4));
  const delivered = chunks.find(({ name }) => name === ID3);
  const frames =
    delivered === undefined ? [] : readId3(await readAll(file, delivered.start, delivered.size));
  const kept = chunks.filter(({ name }) => name !== ID3 && !OURS.includes(name));
  const body = planOf([
    ...kept.flatMap((chunk) => wholeChunk(chunk, file)),
    chunkOf(ID3, id3Tag(tags, frames), true),
  ]);
  const formBytes = HEAD_BYTES - 8 + body.sizeBytes;
  if (formBytes > MAX_FORM_BYTES) throw new NotTaggable('The AIFF file is too large.');
  const newHead = Buffer.from(head);
  newHead.writeUInt32BE(formBytes, 4);
  const rest = Math.min(endOf(chunks.at(-1)!), file.sizeBytes);
  return planOf([newHead, ...body.segments, { start: rest, end: file.sizeBytes }]);
}
