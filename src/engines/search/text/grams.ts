/** The greatest length of an indexed piece. A longer piece is found by the rarest indexed piece in it. */
export const MAX_GRAM_LENGTH = 3;

/**
 * The key of the `length` UTF-16 units at a position. Keys of one or two units are unique. Several pieces of
 * three units may share one key, so words that are found by it must be compared again.
 */
export function gramKey(text: string, at: number, length: number): number {
  const first = text.charCodeAt(at);
  if (length === 1) {
    return first;
  }
  const second = text.charCodeAt(at + 1);
  if (length === 2) {
    return ((first << 16) | second) >>> 0;
  }
  const mixed = Math.imul(Math.imul(first, 0x9e37_79b1) + second, 0x85eb_ca6b);
  return (mixed + text.charCodeAt(at + 2)) >>> 0;
}
