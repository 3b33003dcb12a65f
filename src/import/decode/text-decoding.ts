import { isUtf8 } from 'node:buffer';

/** Turns bytes into text; undefined where they are not valid in any encoding the file may have. */
export type TextDecoding = (bytes: Buffer) => string | undefined;

/**
 * UTF-8, or else the encoding that the mapping names for bytes that are not UTF-8. A supplier's
 * dump often mixes the two, line by line.
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

/** Tells where bytes that are not UTF-8 stop being it: `byte 0x80 at position 59`, counted from 1. */
export function invalidByte(bytes: Buffer): string {
  const text = bytes.toString();
  let offset = 0;
  let from = 0;
  for (;;) {
    const found = text.indexOf(REPLACEMENT, from);
    offset += Buffer.byteLength(text.slice(from, found));
    // A replacement character may also have been delivered as one.
    if (found < 0 || bytes.indexOf(REPLACEMENT, offset) !== offset) {
      break;
    }
    offset += 3;
    from = found + 1;
  }
  return `byte 0x${(bytes[offset] ?? 0).toString(16).padStart(2, '0')} at position ${offset + 1}`;
}

const REPLACEMENT = '\ufffd';
