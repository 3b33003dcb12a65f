import type { AudioTags } from './audio-tags.ts';
import {
  type FilePart,
  NotTaggable,
  planOf,
  type RandomAccess,
  readAll,
  type SplicePlan,
} from './splice.ts';
import {
  pictureBlock,
  readComments,
  type VorbisComments,
  withTags,
  writeComments,
} from './vorbis-comments.ts';

const MARK_BYTES = 4;
const HEADER_BYTES = 4;
const STREAMINFO = 0;
const PADDING = 1;
const COMMENTS = 4;
const PICTURE = 6;
const LAST = 0x80;
/** Real files have some tens. */
const MAX_BLOCKS = 1000;
const MAX_BLOCK_BYTES = 2 ** 24 - 1;

interface Block {
  type: number;
  content: Buffer | FilePart;
}

/**
 * Writes the comments and the cover into a FLAC file. The other blocks stay, except for the padding.
 *
 * @param start the offset of the file after its ID3 tags
 */
export async function tagFlac(
  file: RandomAccess,
  start: number,
  tags: AudioTags,
): Promise<SplicePlan> {
  const { blocks, end } = await readBlocks(file, start + MARK_BYTES);
  if (blocks[0]?.type !== STREAMINFO) throw new NotTaggable('The FLAC file has no STREAMINFO.');
  const after = writeComments(withTags(await commentsOf(file, blocks), tags));
  const others = blocks.slice(1).filter(({ type }) => type !== PADDING && type !== COMMENTS);
  const written: Block[] = [blocks[0], { type: COMMENTS, content: after }, ...others];
  const hasPicture = blocks.some(({ type }) => type === PICTURE);
  if (tags.cover !== undefined && !hasPicture) {
    written.push({ type: PICTURE, content: pictureBlock(tags.cover) });
  }
  return planOf([
    { start: 0, end: start + MARK_BYTES },
    ...written.flatMap((block, i) => [headerOf(block, i === written.length - 1), block.content]),
    { start: end, end: file.sizeBytes },
  ]);
}

const NO_COMMENTS = { vendor: Buffer.from('Stave'), comments: [] };

async function commentsOf(file: RandomAccess, blocks: readonly Block[]): Promise<VorbisComments> {
  const delivered = blocks.find(({ type }) => type === COMMENTS);
  return delivered === undefined ? NO_COMMENTS : readComments(await bytesOf(file, delivered));
}

/** Reads the comments of a FLAC file, as `tagFlac` does. Throws NotTaggable. */
export async function readFlacComments(file: RandomAccess, start: number): Promise<VorbisComments> {
  const { blocks } = await readBlocks(file, start + MARK_BYTES);
  return commentsOf(file, blocks);
}

/** Returns the blocks, and the offset of the first frame of audio. */
async function readBlocks(
  file: RandomAccess,
  start: number,
): Promise<{ blocks: Block[]; end: number }> {
  const blocks: Block[] = [];
  let at = start;
  for (let isLast = false; !isLast; ) {
    if (blocks.length === MAX_BLOCKS) throw new NotTaggable('The FLAC file has too many blocks.');
    const head = await readAll(file, at, HEADER_BYTES);
    const from = at + HEADER_BYTES;
    at = from + head.readUIntBE(1, 3);
    isLast = (head[0]! & LAST) !== 0;
    blocks.push({ type: head[0]! & ~LAST, content: { start: from, end: at } });
  }
  const sync = await readAll(file, at, 2);
  if ((sync.readUInt16BE(0) & 0xff_fe) !== 0xff_f8) {
    throw new NotTaggable('The blocks of the FLAC file do not end at a frame.');
  }
  return { blocks, end: at };
}

function bytesOf(file: RandomAccess, { content }: Block): Promise<Buffer> {
  const { start, end } = content as FilePart;
  return readAll(file, start, end - start);
}

function headerOf({ type, content }: Block, isLast: boolean): Buffer {
  const size = Buffer.isBuffer(content) ? content.length : content.end - content.start;
  if (size > MAX_BLOCK_BYTES) throw new NotTaggable('A block of the FLAC file is too large.');
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = type | (isLast ? LAST : 0);
  header.writeUIntBE(size, 1, 3);
  return header;
}
