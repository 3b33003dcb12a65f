/** Pieces of more units are found by the rarest of their grams. */
export const LONGEST_GRAM = 3;

/**
 * A number for the UTF-16 units at a place: one of its own for one or two of them; for three one
 * that others may share, so what it finds must be looked at again.
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
