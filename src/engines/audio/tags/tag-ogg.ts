import type { AudioTags } from './audio-tags.ts';
import { type OggPage, pagesOf, readPage, renumbered, sizeOfPage } from './ogg-pages.ts';
import { NotTaggable, planOf, type RandomAccess, type SplicePlan } from './splice.ts';
import {
  hasComment,
  PICTURE_NAME,
  pictureBlock,
  readComments,
  type VorbisComments,
  withTags,
  writeComments,
} from './vorbis-comments.ts';

/** The first bytes of the packets of a codec, and how many packets of headers follow the first one. */
const CODECS = [
  { first: '\x01vorbis', comments: '\x03vorbis', packets: 2 },
  { first: 'OpusHead', comments: 'OpusTags', packets: 1 },
] as const;

const MAX_HEADER_BYTES = 16 * 1024 * 1024;

/**
 * Writes the comments and the cover into an Ogg file with one stream of Vorbis or Opus. If its headers then have another
 * number of pages, the later pages are renumbered while they are sent.
 */
export async function tagOgg(file: RandomAccess, tags: AudioTags): Promise<SplicePlan> {
  const { first, codec, start, comments, others, pages, end } = await readHead(file);
  const tagged = taggedComments(comments, codec.comments, tags);
  const written = pagesOf([tagged, ...others], {
    serial: first.serial,
    sequence: first.sequence + 1,
  });
  const distance = written.length - pages;
  return planOf([
    { start: 0, end: start },
    ...written,
    {
      ...{ start: end, end: file.sizeBytes },
      ...(distance !== 0 && { change: renumbered(first.serial, distance) }),
    },
  ]);
}

/** Reads the comments of an Ogg file, as `tagOgg` does. Throws NotTaggable. */
export async function readOggComments(file: RandomAccess): Promise<VorbisComments> {
  const { comments, codec } = await readHead(file);
  return commentsOf(comments, codec.comments);
}

async function readHead(file: RandomAccess) {
  const first = await readPage(file, 0);
  const head = first.body.toString('latin1', 0, 8);
  const codec = CODECS.find((one) => head.startsWith(one.first));
  if (codec === undefined) throw new NotTaggable('The Ogg file has neither Vorbis nor Opus.');
  const start = sizeOfPage(first);
  const { packets, pages, end } = await readHeaders(file, start, first, codec.packets);
  const [comments, ...others] = packets as [Buffer, ...Buffer[]];
  return { first, codec, start, comments, others, pages, end };
}

/** Reads packets that begin on a page of their own, and end with a page. */
async function readHeaders(
  file: RandomAccess,
  start: number,
  { serial }: OggPage,
  count: number,
): Promise<{ packets: Buffer[]; pages: number; end: number }> {
  const packets: Buffer[] = [];
  let parts: Buffer[] = [];
  let pages = 0;
  let end = start;
  while (packets.length < count) {
    if (end - start > MAX_HEADER_BYTES) throw new NotTaggable('The headers are too large.');
    const page = await readPage(file, end);
    if (page.serial !== serial || page.isFirst)
      throw new NotTaggable('The file has several streams.');
    end += sizeOfPage(page);
    pages++;
    let at = 0;
    for (const length of page.lacing) {
      parts.push(page.body.subarray(at, at + length));
      at += length;
      if (length === 255) continue;
      packets.push(Buffer.concat(parts));
      parts = [];
    }
  }
  if (packets.length > count || parts.length > 0) {
    throw new NotTaggable('The headers do not end with a page.');
  }
  return { packets, pages, end };
}

function commentsOf(packet: Buffer, mark: string): VorbisComments {
  if (packet.toString('latin1', 0, mark.length) !== mark) {
    throw new NotTaggable('The Ogg file has no comments.');
  }
  return readComments(packet.subarray(mark.length));
}

function taggedComments(packet: Buffer, mark: string, tags: AudioTags): Buffer {
  const delivered = commentsOf(packet, mark);
  const { vendor, comments } = withTags(delivered, tags);
  const cover =
    tags.cover !== undefined && !hasComment(delivered, PICTURE_NAME) ? tags.cover : undefined;
  const pictures =
    cover === undefined
      ? []
      : [Buffer.from(`${PICTURE_NAME}=${pictureBlock(cover).toString('base64')}`)];
  const written = writeComments({ vendor, comments: [...comments, ...pictures] });
  // The comments of Vorbis end with a bit that must be set.
  const end = mark === 'OpusTags' ? [] : [Buffer.of(1)];
  return Buffer.concat([Buffer.from(mark, 'latin1'), written, ...end]);
}
