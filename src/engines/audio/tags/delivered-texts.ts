import { audioFormat, FORMAT_BYTES } from '../audio-format.ts';
import { id3Size } from '../content.ts';
import type { AudioTags } from './audio-tags.ts';
import { listChunks } from './chunk-list.ts';
import { type Id3Frame, textsOfFrame } from './id3.ts';
import { readId3 } from './id3-frames.ts';
import { boxesAt } from './mp4-boxes.ts';
import { NotTaggable, type RandomAccess, readAll } from './splice.ts';
import { readFlacComments } from './tag-flac.ts';
import { findMoov } from './tag-mp4.ts';
import { readOggComments } from './tag-ogg.ts';
import { readWavTexts } from './tag-wav.ts';
import { textsOfComments, type VorbisComments } from './vorbis-comments.ts';

/** What the catalog does not have of a track. */
export type DeliveredTexts = Pick<AudioTags, 'album' | 'copyright'>;

/**
 * Reads the texts of a delivered file that a file in another format repeats. Of a file that cannot be read, there are none.
 *
 * @param extension in lower case and without the dot
 */
export async function deliveredTexts(
  file: RandomAccess,
  extension: string,
): Promise<DeliveredTexts> {
  try {
    const start = id3Size(await file.read(0, 10));
    switch (audioFormat(await file.read(start, FORMAT_BYTES), extension)) {
      case 'mp3':
        return ofId3(start === 0 ? [] : readId3(await readAll(file, 0, start)));
      case 'aiff':
        return ofId3(await framesOfAiff(file));
      case 'wav': {
        const { id3, info } = await readWavTexts(file);
        const text = (id: string) => info.find((one) => one.id === id)?.text.toString();
        const listed = stated({ album: text('IPRD'), copyright: text('ICOP') });
        return { ...listed, ...ofId3(id3) };
      }
      case 'flac':
        return ofComments(await readFlacComments(file, start));
      case 'ogg':
        return ofComments(await readOggComments(file));
      case 'mov':
        return await ofMp4(file);
      default:
        return {};
    }
  } catch (error) {
    if (error instanceof NotTaggable || error instanceof RangeError) return {};
    throw error;
  }
}

function stated(texts: { album: string | undefined; copyright: string | undefined }) {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
}

function ofId3(frames: readonly Id3Frame[]): DeliveredTexts {
  const text = (id: string) => {
    const found = frames.find((frame) => frame.id === id && frame.format === 0);
    return found && textsOfFrame(found).join('; ');
  };
  return stated({ album: text('TALB'), copyright: text('TCOP') });
}

async function framesOfAiff(file: RandomAccess): Promise<Id3Frame[]> {
  const form = { start: 12, end: file.sizeBytes, audio: 'SSND' };
  const chunks = await listChunks(file, form, (header) => header.readUInt32BE(4));
  const id3 = chunks.find(({ name }) => name === 'ID3 ');
  return id3 === undefined ? [] : readId3(await readAll(file, id3.start, id3.size));
}

function ofComments(comments: VorbisComments): DeliveredTexts {
  const text = (name: string) => textsOfComments(comments, name).join('; ');
  return stated({ album: text('ALBUM'), copyright: text('COPYRIGHT') });
}

async function ofMp4(file: RandomAccess): Promise<DeliveredTexts> {
  const { content, end } = await findMoov(file);
  const moov = await readAll(file, content, end - content);
  const [meta] = boxesAt(moov, [['udta'], ['meta']]);
  if (meta === undefined) return {};
  // After the version and the flags, which files of QuickTime lack.
  const list = moov.subarray(meta.start + 4, meta.end);
  const text = (type: string) => {
    const [data] = boxesAt(list, [['ilst'], [type], ['data']]);
    return data && list.toString('utf8', data.start + 8, data.end);
  };
  return stated({ album: text('\xa9alb'), copyright: text('cprt') });
}
