import { type BitSpace, LISTS_KEPT } from './bit-kernel.ts';
import { markTracks } from './dense-pieces.ts';

/** A list of tracks, and the same as a bitset. */
interface Kept {
  list: Uint32Array;
  bits: Uint32Array;
}

/** The bitsets of long lists of the tracks of a segment. Keeps those that were needed last. */
export class ListBitsets {
  readonly #space: Pick<BitSpace, 'take' | 'kernel'>;
  readonly #longFrom: number;
  /** The least recently used first. */
  readonly #kept: Kept[] = [];

  /** @param space takes LISTS_KEPT sets */
  constructor(size: number, space: Pick<BitSpace, 'take' | 'kernel'>) {
    this.#space = space;
    this.#longFrom = size / 32;
  }

  /** Whether a list needs more memory than its bitset. */
  isLong(list: Uint32Array): boolean {
    return list.length > this.#longFrom;
  }

  /** Returns the bitset of a list, which never changes. It is valid until the next call. */
  of(list: Uint32Array): Uint32Array {
    const at = this.#kept.findIndex((kept) => isSame(kept.list, list));
    const kept = at < 0 ? this.#make(list) : this.#kept.splice(at, 1)[0]!;
    this.#kept.push(kept);
    return kept.bits;
  }

  #make(list: Uint32Array): Kept {
    const bits = this.#kept.length < LISTS_KEPT ? this.#space.take() : this.#kept.shift()!.bits;
    this.#space.kernel.clear(bits);
    markTracks(list, 0, list.length, bits);
    return { list, bits };
  }
}

function isSame(one: Uint32Array, other: Uint32Array): boolean {
  return (
    one.buffer === other.buffer &&
    one.byteOffset === other.byteOffset &&
    one.length === other.length
  );
}
