import type { REPAIRS } from './rule-schema.ts';

/** One kind of damage that can be repaired. */
export type Repair = (typeof REPAIRS)[number];

/** Returns the text with one kind of damage repaired; unchanged without that damage. */
export function repaired(text: string, repair: Repair): string {
  switch (repair) {
    case 'html-entities':
      return text.includes('&') ? withoutEntities(text) : text;
    case 'html-tags':
      return text.includes('<') ? text.replace(/<\/?[a-z][^<>]*>/gi, '') : text;
    case 'double-utf8':
      return decodedTwice(text);
    case 'spaces':
      return text.replace(/\s+/g, ' ').trim();
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

function withoutEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi,
    (entity, decimal, hex, name) => {
      if (name !== undefined) {
        return Object.hasOwn(NAMED, name) ? NAMED[name]! : entity;
      }
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : entity;
    },
  );
}

/** The characters that Windows-1252 has at 0x80 to 0x9f, where Latin-1 has control characters. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * Repairs UTF-8 that was read as Windows-1252 and written as UTF-8 again: `SeÃ±or` becomes `Señor`.
 */
function decodedTwice(text: string): string {
  const bytes = Buffer.alloc(text.length);
  for (let i = 0; i < text.length; i++) {
    const special = WINDOWS_1252.indexOf(text[i]!);
    const byte = special >= 0 ? 0x80 + special : text.charCodeAt(i);
    if (byte > 0xff) {
      return text;
    }
    bytes[i] = byte;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return text;
  }
}
