import anyAscii from 'any-ascii';
import type { ServedTrack } from '../catalog/catalog-stores.ts';

/** The most characters and bytes of a file name with its extension. File systems allow 255 bytes. */
const MAX_CHARACTERS = 150;
const MAX_BYTES = 240;
/** The most characters of the artist, so that the name of the track remains. */
const MAX_ARTIST = 60;

/** What a file system or a shell gives a meaning, and control, bidirectional and invisible characters. */
const UNSAFE = /[/\\:*?"<>|\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/gu;
/** Devices of Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$)/i;
const ENDS = /^[\s.]+|[\s.]+$/gu;

/**
 * Returns `Artist - Name.ext`, which every file system accepts.
 *
 * @param part the name of a stem or a version, which follows in parentheses
 * @param copy from 2 on for a file whose name another one has
 */
export function mediaFileName(
  { artist, name, slug }: Pick<ServedTrack, 'artist' | 'name' | 'slug'>,
  extension: string,
  part?: string,
  copy = 1,
): string {
  const credited = cut(safe(artist ?? ''), MAX_ARTIST);
  const titled = [credited, safe(name) || slug].filter((text) => text !== '').join(' - ');
  const end = part === undefined ? '' : ` (${cut(safe(part), MAX_ARTIST)})`;
  const number = copy === 1 ? '' : ` (${copy})`;
  return withEnd(titled, `${end}${number}.${extension}`);
}

/** Returns a header with the name in ASCII for old clients, and as it is (RFC 6266 §5, RFC 8187 §3.2). */
export function contentDisposition(type: 'inline' | 'attachment', fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  // Clients decode percent signs here (RFC 6266 §D).
  const ascii = safe(anyAscii(fileName.slice(0, dot)).replaceAll('%', '_'));
  const plain = withEnd(ascii || 'file', fileName.slice(dot));
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

function safe(text: string): string {
  return text.normalize('NFC').toWellFormed().replace(UNSAFE, '_').replace(ENDS, '');
}

function withEnd(text: string, end: string): string {
  const bytes = MAX_BYTES - Buffer.byteLength(end);
  return cut(text, MAX_CHARACTERS - end.length, bytes).replace(RESERVED, '_$&') + end;
}

/** Cuts between characters as a reader counts them. */
function cut(text: string, characters: number, bytes = Number.POSITIVE_INFINITY): string {
  if (text.length <= characters && Buffer.byteLength(text) <= bytes) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const longer = kept + segment;
    if (longer.length > characters || Buffer.byteLength(longer) > bytes) break;
    kept = longer;
  }
  return kept.replace(ENDS, '');
}
