import type { ByteRange } from '../../media/media-store.ts';

const SPECIFIER = /^bytes=(.*)$/i;
const SPEC = /^(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * What a `Range` header asks of a body of this size (RFC 9110 §14): one range, clipped to the body;
 * 'unsatisfiable' (416); or 'whole' where there is none, it is malformed, in another unit, or names
 * several ranges (decisions §3 asks for single ones; §14.2 lets a server pass over the rest).
 */
export function byteRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const set = header === undefined ? undefined : SPECIFIER.exec(header)?.[1];
  if (set === undefined) {
    return 'whole';
  }
  // Empty list elements count for nothing (§5.6.1).
  const specs = set.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  const spec = specs.length === 1 ? SPEC.exec(specs[0]!) : null;
  if (spec === null) {
    return 'whole';
  }
  const [, first, last, suffix] = spec;
  if (suffix !== undefined) {
    return suffixRange(Number(suffix), sizeBytes);
  }
  const start = Number(first);
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last);
  if (end < start) {
    return 'whole';
  }
  return start >= sizeBytes ? 'unsatisfiable' : { start, end: Math.min(end, sizeBytes - 1) };
}

/** The last so many bytes; of an empty body they are satisfiable (§14.1.2) but cannot be told as a range. */
function suffixRange(length: number, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  if (length === 0) {
    return 'unsatisfiable';
  }
  return sizeBytes === 0 ? 'whole' : { start: Math.max(0, sizeBytes - length), end: sizeBytes - 1 };
}
