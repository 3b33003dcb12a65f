import type { FileHandle } from 'node:fs/promises';

/** What the first bytes of a file show. */
export interface Content {
  /** With its article: `a JPEG image`. */
  name: string;
  /** The extensions of audio that Stave serves, the usual one first; empty for anything else. */
  audio: readonly string[];
  /** The extension of a picture that Stave serves; null for another picture; undefined for anything else. */
  picture?: string | null | undefined;
}

const audio = (name: string, ...extensions: string[]): Content => ({ name, audio: extensions });
const picture = (name: string, extension: string | null): Content => ({
  ...{ name, audio: [], picture: extension },
});
const other = (name: string): Content => ({ name, audio: [] });

/** In this order: an earlier form is a special case of a later one. */
const FORMS: readonly (readonly [pattern: RegExp, content: Content])[] = [
  [/^fLaC/, audio('a FLAC file', 'flac')],
  [/^OggS.{24,}OpusHead/s, audio('an Opus file', 'opus', 'ogg', 'oga')],
  [/^OggS/, audio('an Ogg file', 'ogg', 'oga')],
  [/^(RIFF|RF64|BW64).{4}WAVE/s, audio('a WAV file', 'wav')],
  [/^FORM.{4}AIF[FC]/s, audio('an AIFF file', 'aiff', 'aif')],
  [/^\p{Cc}E\xdf\xa3/u, audio('a WebM file', 'webm')],
  // ISO base media file format: the brand of still or moving AVIF, and those of HEIC.
  [/^.{4}ftypavi[fs]/s, picture('an AVIF image', 'avif')],
  [/^.{4}ftyp(hei[cmsx]|hev[cmsx]|mif1|msf1)/s, picture('a HEIC image', null)],
  [/^.{4}(ftyp|moov|mdat|wide)/s, audio('an MP4 file', 'm4a', 'mp4')],
  [/^\x89PNG\r\n.\n/s, picture('a PNG image', 'png')],
  [/^\xff\xd8\xff/, picture('a JPEG image', 'jpg')],
  [/^GIF8[79]a/, picture('a GIF image', 'gif')],
  [/^RIFF.{4}WEBP/s, picture('a WebP image', 'webp')],
  [/^BM.{4}\0{4}/s, picture('a BMP image', null)],
  [/^(II\*\0|MM\0\*)/, picture('a TIFF image', null)],
  [/^%PDF/, other('a PDF document')],
  [/^PK\p{Cc}{2}/u, other('a ZIP archive')],
  [/^\p{Cc}\x8b\p{Cc}/u, other('a gzip file')],
  [/^Rar!/, other('a RAR archive')],
  [/^0&\xb2u\x8ef\xcf\p{Cc}/u, other('a Windows Media file (WMA)')],
  [/^MAC /, other('a file of Monkey’s Audio')],
  [/^wvpk/, other('a WavPack file')],
  [/^MThd/, other('a MIDI file')],
  [/^DSD |^FRM8/, other('a DSD file')],
  [/^caff/, other('a Core Audio file')],
  [/^#!AMR/, other('an AMR file')],
  [/^RIFF.{4}AVI /s, other('an AVI video')],
  [/^\0\0\p{Cc}[\xb3\xba]/u, other('an MPEG video')],
  [/^\s*<(!doctype html|html)/i, other('an HTML page')],
  [/^(\xef\xbb\xbf)?<\?xml/, other('an XML file')],
  // MPEG layers II and III; not FF FE, the mark of UTF-16.
  [/^\xff[\xe2-\xe5\xf2-\xf5\xfa-\xfd][^\xf0-\xff]/, audio('an MPEG audio file', 'mp3')],
];

/** The largest frame of ADTS, with the header of the next one. */
const HEAD_BYTES = 8191 + 2;
const MAX_TAGS = 4;

/** Recognizes the content of a file, after its ID3 tags; undefined for one that is not known. */
export async function contentOfFile(
  file: FileHandle,
): Promise<{ content: Content | undefined; tagBytes: number }> {
  let tagBytes = 0;
  for (let tags = 0; ; tags++) {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(HEAD_BYTES),
      0,
      HEAD_BYTES,
      tagBytes,
    );
    const head = buffer.subarray(0, bytesRead);
    const size = tags < MAX_TAGS ? id3Size(head) : 0;
    if (size === 0) return { content: contentOf(head), tagBytes };
    tagBytes += size;
  }
}

/** Recognizes content by its first bytes. */
export function contentOf(bytes: Uint8Array): Content | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
  const text = head.toString('latin1', 0, 64);
  const found = FORMS.find(([pattern]) => pattern.test(text))?.[1];
  return found ?? (isAdts(head) ? ADTS : undefined);
}

const ADTS = audio('an AAC file', 'aac');

/** Two frames of ADTS in a row. A frame of FLAC, too, can begin with this mark. */
function isAdts(head: Buffer): boolean {
  const isFrame = (at: number) =>
    at + 1 < head.length && head[at] === 0xff && (head[at + 1]! & 0xf6) === 0xf0;
  if (!isFrame(0) || head.length < 7) return false;
  const length = ((head[3]! & 3) << 11) | (head[4]! << 3) | (head[5]! >> 5);
  return length >= 7 && (head.length <= length || isFrame(length));
}

/**
 * Undoes the unsynchronization of ID3v2, a zero after each FF, which keeps a player without ID3 from taking a tag for audio.
 */
export function synchronized(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll('\xff\0', '\xff'), 'latin1');
}

/** Returns the size of the ID3v2 tag that a file begins with; 0 if there is none. */
export function id3Size(head: Uint8Array): number {
  const isTag = head.length >= 10 && Buffer.from(head.subarray(0, 3)).toString('latin1') === 'ID3';
  if (!isTag) return 0;
  const [a, b, c, d] = head.subarray(6, 10);
  const hasFooter = (head[5]! & 0x10) !== 0;
  return 10 + ((a! << 21) | (b! << 14) | (c! << 7) | d!) + (hasFooter ? 10 : 0);
}
