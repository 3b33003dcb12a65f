import { type AudioTags, type Cover, type FieldName, fieldsOf, textsOf } from './audio-tags.ts';
import { NotTaggable } from './splice.ts';

const NAMES: Readonly<Record<FieldName, string>> = {
  title: 'TITLE',
  artists: 'ARTIST',
  isrc: 'ISRC',
  iswc: 'ISWC',
  composers: 'COMPOSER',
  publishers: 'PUBLISHER',
  album: 'ALBUM',
  copyright: 'COPYRIGHT',
};

const FRONT_COVER = 3;
/** The comment that holds a picture in Ogg. */
export const PICTURE_NAME = 'METADATA_BLOCK_PICTURE';

export interface VorbisComments {
  /** The program that encoded the file. */
  vendor: Buffer;
  /** Each is `NAME=text` in UTF-8. */
  comments: readonly Buffer[];
}

/** Reads comments without the bytes around them. Throws NotTaggable if they are not complete. */
export function readComments(bytes: Buffer): VorbisComments {
  let at = 0;
  const take = () => {
    if (at + 4 > bytes.length) throw new NotTaggable('The comments are not complete.');
    const end = at + 4 + bytes.readUInt32LE(at);
    if (end > bytes.length) throw new NotTaggable('The comments are not complete.');
    const text = bytes.subarray(at + 4, end);
    at = end;
    return text;
  };
  const vendor = take();
  if (at + 4 > bytes.length) throw new NotTaggable('The comments are not complete.');
  const count = bytes.readUInt32LE(at);
  at += 4;
  const comments: Buffer[] = [];
  for (let i = 0; i < count; i++) comments.push(take());
  return { vendor, comments };
}

/** Replaces what is ours, and adds what is missing. */
export function withTags({ vendor, comments }: VorbisComments, tags: AudioTags): VorbisComments {
  const stated = new Set(comments.map(nameOf));
  const ours: [string, string][] = [];
  for (const { name, values, replaces } of fieldsOf(tags)) {
    if (!replaces && stated.has(NAMES[name])) continue;
    ours.push(...values.map((value): [string, string] => [NAMES[name], value]));
  }
  ours.push(...textsOf(tags).map(([name, value]): [string, string] => [name, value]));
  const replaced = new Set(ours.map(([name]) => name));
  return {
    vendor,
    comments: [
      ...ours.map(([name, value]) => Buffer.from(`${name}=${value}`)),
      ...comments.filter((comment) => !replaced.has(nameOf(comment))),
    ],
  };
}

/** Returns the texts of the comments with a name. */
export function textsOfComments({ comments }: VorbisComments, name: string): string[] {
  return comments
    .filter((comment) => nameOf(comment) === name)
    .map((comment) => comment.toString('utf8', name.length + 1));
}

export function hasComment({ comments }: VorbisComments, name: string): boolean {
  return comments.some((comment) => nameOf(comment) === name);
}

export function writeComments({ vendor, comments }: VorbisComments): Buffer {
  const parts = comments.flatMap((comment) => [uint32LE(comment.length), comment]);
  return Buffer.concat([uint32LE(vendor.length), vendor, uint32LE(comments.length), ...parts]);
}

/** Returns the content of a block `PICTURE` of FLAC. */
export function pictureBlock({ contentType, bytes }: Cover): Buffer {
  const type = Buffer.from(contentType, 'latin1');
  // The description is empty. The size and the colors may be 0 if they are not known.
  const unknown = Buffer.alloc(5 * 4);
  const head = [uint32BE(FRONT_COVER), uint32BE(type.length), type, unknown];
  return Buffer.concat([...head, uint32BE(bytes.length), bytes]);
}

/** In upper case: names have no case. */
function nameOf(comment: Buffer): string {
  const end = comment.indexOf('=');
  return comment.toString('latin1', 0, Math.max(0, end)).toUpperCase();
}

function uint32LE(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint32BE(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
