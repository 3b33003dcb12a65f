import { createHash, randomUUID } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether the text has the form of a UUID, of any version and in either case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A new random identifier (UUID version 4), lower case. */
export function newId(): string {
  return randomUUID();
}

/** The UUID namespace of all derived ids. */
const STAVE_NAMESPACE = Buffer.from('6f1c0f0e7c5a4d6e9a2b3c4d5e6f7081', 'hex');

/**
 * Derives an id (UUID version 5, RFC 9562 §5.5) from the parts. Equal parts give equal ids on every
 * node and in every import. Each part is length-prefixed, so that different lists of parts never
 * give the same input.
 */
export function derivedId(...parts: readonly string[]): string {
  const hash = createHash('sha1').update(STAVE_NAMESPACE);
  for (const part of parts) {
    hash.update(`${part.length}:`).update(part);
  }
  const bytes = hash.digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
