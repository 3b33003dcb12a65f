import { hash, randomBytes, randomUUID } from 'node:crypto';

const UUID_LENGTH = 36;
const HYPHEN = '-'.charCodeAt(0);
/** 1 for the code of each hexadecimal digit, and 0 for all others. */
const HEX_DIGITS = new Uint8Array(0x1_0000);
for (const digit of '0123456789abcdefABCDEF') HEX_DIGITS[digit.charCodeAt(0)] = 1;

/**
 * Whether the text has the form of a UUID, of any version and in either case. Several times as fast as a regular
 * expression, because a request may name a hundred tracks.
 */
export function isUuid(text: string): boolean {
  if (text.length !== UUID_LENGTH) return false;
  for (let i = 8; i <= 23; i += 5) {
    if (text.charCodeAt(i) !== HYPHEN) return false;
  }
  let digits = 0;
  for (let i = 0; i < UUID_LENGTH; i++) digits += HEX_DIGITS[text.charCodeAt(i)]!;
  return digits === UUID_LENGTH - 4;
}

/** A new random identifier (UUID version 4), lower case. */
export function newId(): string {
  return randomUUID();
}

/**
 * A new identifier (UUID version 7, RFC 9562 §5.7), lower case. Ids of different milliseconds sort by their time.
 * @param now the time in milliseconds since the epoch
 */
export function newSortableId(now: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The UUID namespace of all derived ids. */
const STAVE_NAMESPACE = Buffer.from('6f1c0f0e7c5a4d6e9a2b3c4d5e6f7081', 'hex');

/**
 * Derives an id (UUID version 5, RFC 9562 §5.5) from the parts. Equal parts give equal ids on every
 * node and in every import. Each part is length-prefixed, so that different lists of parts never
 * give the same input.
 */
export function derivedId(...parts: readonly string[]): string {
  return uuidOfName(STAVE_NAMESPACE, parts.map((part) => `${part.length}:${part}`).join(''));
}

/** Derives an id (UUID version 5, RFC 9562 §5.5) from a name in the namespace of another id. */
export function nameBasedId(namespace: string, name: string): string {
  return uuidOfName(Buffer.from(namespace.replaceAll('-', ''), 'hex'), name);
}

function uuidOfName(namespace: Buffer, name: string): string {
  const input = Buffer.allocUnsafe(namespace.length + Buffer.byteLength(name));
  namespace.copy(input);
  input.write(name, namespace.length);
  const hex = hash('sha1', input, 'hex');
  // The version is 5, and the variant takes two bits.
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Returns the column in which to look up a slug or an id. */
export function nameOf(slugOrId: string): { column: 'id' | 'slug'; key: string } {
  return isUuid(slugOrId)
    ? { column: 'id', key: slugOrId.toLowerCase() }
    : { column: 'slug', key: slugOrId };
}
