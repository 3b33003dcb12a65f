import type { ByteRange } from '../../../engines/blobs/media-store.ts';

const SPECIFIER = /^bytes=(.*)$/i;
const SPEC = /^(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * Parses a `Range` header for a body of this size (RFC 9110 §14). Returns one range, clipped to the body;
 * 'unsatisfiable' (416); or 'whole' if the header is absent, malformed, in another unit, or names several
 * ranges (docs/contract/streaming.md#byte-ranges requires single ranges; §14.2 permits ignoring others).
 */
export function byteRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const set = header === undefined ? undefined : SPECIFIER.exec(header)?.[1];
  if (set === undefined) {
    return 'whole';
  }
  // Ignores empty list elements (§5.6.1).
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

/**
 * Returns the last bytes. For an empty body they are satisfiable (§14.1.2), but have no range
 * notation.
 */
function suffixRange(length: number, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  if (length === 0) {
    return 'unsatisfiable';
  }
  return sizeBytes === 0 ? 'whole' : { start: Math.max(0, sizeBytes - length), end: sizeBytes - 1 };
}
