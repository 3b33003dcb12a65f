import { type AudioTags, type Cover, type FieldName, fieldsOf, textsOf } from './audio-tags.ts';

/** A frame of ID3v2.4. */
export interface Id3Frame {
  id: string;
  /** The second byte of the flags: how the body is written. */
  format: number;
  body: Buffer;
}

const FRAMES: Readonly<Record<FieldName, string>> = {
  title: 'TIT2',
  artists: 'TPE1',
  isrc: 'TSRC',
  iswc: 'TXXX:ISWC',
  composers: 'TCOM',
  publishers: 'TPUB',
  album: 'TALB',
  copyright: 'TCOP',
};

const UTF8 = 3;
const FRONT_COVER = 3;
const FRAME_HEAD_BYTES = 10;

/**
 * Returns an ID3v2.4 tag in UTF-8, without padding. Equal tags give equal bytes.
 *
 * @param delivered the frames of the file, which stay unless they are ours
 */
export function id3Tag(tags: AudioTags, delivered: readonly Id3Frame[] = []): Buffer {
  const ours = new Map<string, Id3Frame>();
  const stated = new Set(delivered.map(keyOf));
  for (const { name, values, replaces } of fieldsOf(tags)) {
    const key = FRAMES[name];
    if (replaces || !stated.has(key)) ours.set(key, textFrame(key, values));
  }
  for (const [name, value] of textsOf(tags)) {
    ours.set(`TXXX:${name}`, textFrame(`TXXX:${name}`, [value]));
  }
  if (tags.licenseUrl !== undefined) {
    ours.set('WCOP', frame('WCOP', Buffer.from(tags.licenseUrl, 'latin1')));
  }
  const { cover } = tags;
  if (cover !== undefined && !stated.has('APIC')) {
    ours.set('APIC', frame('APIC', Buffer.concat([coverHead(cover.contentType), cover.bytes])));
  }
  return tagOf([...ours.values(), ...delivered.filter((one) => !ours.has(keyOf(one)))]);
}

/** Returns how many bytes a cover of a size adds to a tag. */
export function coverFrameBytes(contentType: Cover['contentType'], sizeBytes: number): number {
  return FRAME_HEAD_BYTES + coverHead(contentType).length + sizeBytes;
}

function coverHead(contentType: Cover['contentType']): Buffer {
  const head = Buffer.from(`\x03${contentType}\0\0\0`, 'latin1');
  head[head.length - 2] = FRONT_COVER;
  return head;
}

/** Returns what identifies a frame: its id, and the name of a text of its own. */
function keyOf({ id, body, format }: Id3Frame): string {
  if (id !== 'TXXX' || format !== 0 || body.length === 0) return id;
  return `TXXX:${descriptionOf(body).toUpperCase()}`;
}

/** Returns the text before the first NUL, in the encoding that the first byte names. */
function descriptionOf(body: Buffer): string {
  const encoding = body[0];
  if (encoding === 0 || encoding === UTF8) {
    const end = body.indexOf(0, 1);
    return body.toString(encoding === 0 ? 'latin1' : 'utf8', 1, end < 0 ? body.length : end);
  }
  let end = 1;
  while (end + 1 < body.length && body.readUInt16BE(end) !== 0) end += 2;
  const isBigEndian = encoding === 2 || body.readUInt16BE(1) === 0xfe_ff;
  return new TextDecoder(isBigEndian ? 'utf-16be' : 'utf-16le').decode(body.subarray(1, end));
}

/** Returns the values of a frame of texts. */
export function textsOfFrame({ body }: Id3Frame): string[] {
  const [encoding = 0] = body;
  const bytes = body.subarray(1);
  if (encoding === 0 || encoding === UTF8) {
    return bytes
      .toString(encoding === 0 ? 'latin1' : 'utf8')
      .split('\0')
      .filter(Boolean);
  }
  const isBigEndian = encoding === 2 || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const text = new TextDecoder(isBigEndian ? 'utf-16be' : 'utf-16le').decode(bytes);
  return text.split('\0').filter(Boolean);
}

function textFrame(key: string, values: readonly string[]): Id3Frame {
  const [id, name] = key.split(':') as [string, string | undefined];
  const text = name === undefined ? values.join('\0') : `${name}\0${values.join('; ')}`;
  return frame(id, Buffer.concat([Buffer.of(UTF8), Buffer.from(text)]));
}

function frame(id: string, body: Buffer): Id3Frame {
  return { id, format: 0, body };
}

function tagOf(frames: readonly Id3Frame[]): Buffer {
  const parts = frames.flatMap(({ id, format, body }) => {
    const head = Buffer.alloc(FRAME_HEAD_BYTES);
    head.write(id, 'latin1');
    writeSynchsafe(head, 4, body.length);
    head[9] = format;
    return [head, body];
  });
  const header = Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1');
  writeSynchsafe(
    header,
    6,
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  return Buffer.concat([header, ...parts]);
}

/** Writes 28 bits as four bytes of seven, so that no byte looks like the start of a frame of audio. */
function writeSynchsafe(into: Buffer, at: number, value: number): void {
  for (let i = 0; i < 4; i++) into[at + i] = (value >> (21 - 7 * i)) & 0x7f;
}
