import { type BitKernel, type BitSpace, plainKernel, SETS_KEPT } from './bit-kernel.ts';
import { lowestBit } from './bits.ts';

/** The tracks of each label, live or not, as a bitset or as an ascending list. */
interface LabelTracks {
  /** The live tracks. */
  readonly bits: Uint32Array;
  dense(label: number): Uint32Array | undefined;
  sparse(label: number): Uint32Array | undefined;
}

/** Where the tracks that have one of some labels are found in a segment; without a member, they are all of its tracks. */
export interface FoundTracks {
  label?: number;
  /** Ascending, live or not. */
  ordinals?: Uint32Array;
  /** Live or not. */
  bits?: Uint32Array;
}

/** The most tracks that are put into a list for one query. More are put into a bitset, which is kept. */
const MAX_LISTED = 1_024;

/**
 * The tracks of a segment that have at least one of several labels, or none of them. Keeps the last bitsets. They stay
 * correct, because tracks are only removed from a segment.
 */
export class LabelUnions {
  readonly #tracks: LabelTracks;
  readonly #space: Pick<BitSpace, 'take' | 'kernel'>;
  /** By what they contain, the least recently used first. */
  readonly #kept = new Map<string, Uint32Array>();
  /** Those of the current query. */
  readonly #used = new Set<Uint32Array>();

  /** @param space takes SETS_KEPT sets */
  constructor(tracks: LabelTracks, space: Pick<BitSpace, 'take' | 'kernel'>) {
    this.#tracks = tracks;
    this.#space = space;
  }

  /** Begins a query. Bitsets that were returned before may change. */
  begin(): void {
    if (this.#used.size > 0) this.#used.clear();
  }

  /** Returns the tracks that have at least one of different labels; undefined if there is no label. */
  of(labels: readonly number[]): FoundTracks | undefined {
    const [only, another] = labels;
    if (only === undefined) return undefined;
    if (another === undefined) return { label: only };
    const ordinals = this.#listed(labels);
    if (ordinals !== undefined) return { ordinals };
    return this.#found(labels.join(), (bits, kernel) => {
      kernel.clear(bits);
      for (const label of labels) {
        const dense = this.#tracks.dense(label);
        if (dense !== undefined) kernel.unite(bits, dense);
        for (const ordinal of this.#tracks.sparse(label) ?? []) {
          bits[ordinal >>> 5]! |= 1 << (ordinal & 31);
        }
      }
    });
  }

  /** Returns the tracks that have none of the labels. */
  without(labels: readonly number[]): FoundTracks {
    return this.#found(`not ${labels.join()}`, (bits, kernel) => {
      bits.set(this.#tracks.bits);
      for (const label of labels) {
        const dense = this.#tracks.dense(label);
        if (dense !== undefined) kernel.exclude(bits, dense);
        for (const ordinal of this.#tracks.sparse(label) ?? []) {
          bits[ordinal >>> 5]! &= ~(1 << (ordinal & 31));
        }
      }
    });
  }

  /** The tracks as a list; undefined if they are too many, or a label is dense. */
  #listed(labels: readonly number[]): Uint32Array | undefined {
    const lists: Uint32Array[] = [];
    let count = 0;
    for (const label of labels) {
      const list = this.#tracks.sparse(label);
      count += list?.length ?? Infinity;
      if (list === undefined || count > MAX_LISTED) return undefined;
      lists.push(list);
    }
    const ordinals = Uint32Array.from(lists.flatMap((list) => [...list])).sort();
    return ordinals.filter((ordinal, i) => i === 0 || ordinal !== ordinals[i - 1]);
  }

  /** Returns a bitset, or a list if the query uses all bitsets that are kept. */
  #found(key: string, write: (bits: Uint32Array, kernel: BitKernel) => void): FoundTracks {
    let bits = this.#kept.get(key);
    if (bits === undefined) {
      bits = this.#kept.size < SETS_KEPT ? this.#space.take() : this.#takeOldest();
      if (bits === undefined) {
        const own = new Uint32Array(this.#tracks.bits.length);
        write(own, plainKernel);
        return { ordinals: membersOf(own) };
      }
      write(bits, this.#space.kernel);
    } else {
      this.#kept.delete(key);
    }
    this.#kept.set(key, bits);
    this.#used.add(bits);
    return { bits };
  }

  #takeOldest(): Uint32Array | undefined {
    const [key, bits] = this.#kept.entries().next().value!;
    if (this.#used.has(bits)) return undefined;
    this.#kept.delete(key);
    return bits;
  }
}

function membersOf(bits: Uint32Array): Uint32Array {
  const members: number[] = [];
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i]!; word !== 0; word &= word - 1) {
      members.push((i << 5) + lowestBit(word));
    }
  }
  return Uint32Array.from(members);
}
