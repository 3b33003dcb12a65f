import { id3Size, synchronized } from '../../../engines/audio/content.ts';

/** A text of an ID3 tag. */
export interface TagText {
  /** The four letters of the frame; those of version 2.2 have three. Empty for ID3v1. */
  frame: string;
  /** The version of the tag: 1 to 4. */
  version: number;
  /** As a parser reads it, in which each byte of a Latin-1 text is one character. */
  text: string;
  isLatin1: boolean;
}

/** Texts come before pictures. What lies further back is left as the parser reads it. */
export const MAX_TAG_BYTES = 1024 * 1024;
const MAX_FRAMES = 1000;

/** The bytes between the encoding and the text: the language of a comment. */
const SKIPPED: Readonly<Record<string, number>> = { COMM: 3, USLT: 3, COM: 3, ULT: 3 };

/** Returns the texts of an ID3v2 tag at the beginning of the bytes. */
export function textsOfTag(bytes: Buffer): TagText[] {
  const size = id3Size(bytes);
  const version = bytes[3] ?? 0;
  if (size === 0 || version < 2 || version > 4) return [];
  const flags = bytes[5]!;
  const whole = bytes.subarray(10, Math.min(size, MAX_TAG_BYTES));
  // Version 2.4 marks each frame.
  const tag = (flags & 0x80) !== 0 && version < 4 ? synchronized(whole) : whole;
  const [idLength, headerLength] = version === 2 ? [3, 6] : [4, 10];
  const texts: TagText[] = [];
  let at = (flags & 0x40) !== 0 && version > 2 ? extendedHeaderBytes(tag, version) : 0;
  for (let i = 0; i < MAX_FRAMES && at + headerLength < tag.length; i++) {
    const frame = tag.toString('latin1', at, at + idLength);
    const length = frameLength(tag, at, version);
    const isMarked = version === 4 && (tag[at + 9]! & 0x02) !== 0;
    at += headerLength;
    if (!/^[A-Z][A-Z0-9]+$/.test(frame) || length <= 0 || at + length > tag.length) break;
    const skipped = SKIPPED[frame];
    if (frame.startsWith('T') || skipped !== undefined) {
      const content = tag.subarray(at, at + length);
      const text = textOf(isMarked ? synchronized(content) : content, skipped ?? 0);
      texts.push({ frame, version, ...text });
    }
    at += length;
  }
  return texts;
}

/** Returns the texts of an ID3v1 tag in the last 128 bytes of a file. */
export function textsOfLastTag(bytes: Buffer): TagText[] {
  if (bytes.length < 128 || bytes.toString('latin1', 0, 3) !== 'TAG') return [];
  return [3, 33, 63, 97].map((at) => {
    const text = bytes.toString('latin1', at, at + 30).replace(/\0.*$/s, '');
    return { frame: '', version: 1, text, isLatin1: true };
  });
}

function textOf(content: Buffer, skipped: number): Pick<TagText, 'text' | 'isLatin1'> {
  const encoding = content[0];
  const bytes = content.subarray(1 + skipped);
  if (encoding === 0) return { text: bytes.toString('latin1'), isLatin1: true };
  const name = encoding === 3 ? 'utf-8' : encoding === 2 || bytes[0] === 0xfe ? BIG : 'utf-16le';
  return { text: new TextDecoder(name).decode(bytes), isLatin1: false };
}

const BIG = 'utf-16be';

function frameLength(tag: Buffer, at: number, version: number): number {
  if (version === 2) return tag.readUIntBE(at + 3, 3);
  return version === 3 ? tag.readUInt32BE(at + 4) : sevenBits(tag, at + 4);
}

function extendedHeaderBytes(tag: Buffer, version: number): number {
  if (tag.length < 4) return tag.length;
  return version === 3 ? 4 + tag.readUInt32BE(0) : sevenBits(tag, 0);
}

function sevenBits(tag: Buffer, at: number): number {
  return tag.subarray(at, at + 4).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
}
