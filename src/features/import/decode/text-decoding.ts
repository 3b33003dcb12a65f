import { isUtf8 } from 'node:buffer';

/** Decodes bytes to text; undefined if they are not valid in any encoding of the file. */
export type TextDecoding = (bytes: Buffer) => string | undefined;

/**
 * Decodes UTF-8, and bytes that are not UTF-8 in the encoding that the mapping names. A supplier's
 * file often mixes the two from line to line.
 */
export function textDecoding(fallback: string | undefined): TextDecoding {
  const decoder = fallback === undefined ? undefined : new TextDecoder(fallback);
  return (bytes) => {
    if (isUtf8(bytes)) {
      return bytes.toString();
    }
    return decoder?.decode(bytes);
  };
}

/** Names the first byte that is not UTF-8: `byte 0x80 at position 59`, counted from 1. */
export function invalidByte(bytes: Buffer): string {
  const text = bytes.toString();
  let offset = 0;
  let from = 0;
  for (;;) {
    const found = text.indexOf(REPLACEMENT, from);
    offset += Buffer.byteLength(text.slice(from, found));
    // The text may also contain a real replacement character.
    if (found < 0 || bytes.indexOf(REPLACEMENT, offset) !== offset) {
      break;
    }
    offset += 3;
    from = found + 1;
  }
  return `byte 0x${(bytes[offset] ?? 0).toString(16).padStart(2, '0')} at position ${offset + 1}`;
}

const REPLACEMENT = '\ufffd';
