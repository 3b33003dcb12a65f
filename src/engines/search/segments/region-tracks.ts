import { regionLabel } from '../sets/labels.ts';
import type { Segment } from './segment.ts';

/** How the tracks of some regions are found in a segment: by the member that is present, or all tracks are meant. */
export type FoundRegions =
  | { label: number }
  /** Ascending. */
  | { ordinals: Uint32Array }
  | { bits: Uint32Array }
  | { isWhole: true };

/** The tracks of each label, live or not: in a list, or in a bitset. */
interface LabelledTracks {
  sparse(label: number): Uint32Array | undefined;
  dense(label: number): Uint32Array | undefined;
}

/** Whether a list of codes of two letters, with spaces between them, has a code; `WORLD` is in none. */
function hasCode(list: string, code: string): boolean {
  return code.length === 2 && list.includes(code);
}

/** The number of sparse tracks that a list for one query may hold. More become a bitset, which is kept. */
const MAX_LISTED = 1_024;

/**
 * The tracks of a segment, live or not, whose region is one of several. Each track has one region, so their numbers
 * add up. Keeps the set of the last regions that needed one, because one query asks several times.
 */
export class RegionTracks {
  readonly #segment: Segment;
  readonly #lists: LabelledTracks;
  readonly #takeBits: () => Uint32Array;
  #bits: Uint32Array | undefined;
  /** What the bitset contains; undefined if nothing. */
  #key: string | undefined;

  /** @param takeBits returns an empty set for the tracks of the segment; called once */
  constructor(segment: Segment, lists: LabelledTracks, takeBits: () => Uint32Array) {
    this.#segment = segment;
    this.#lists = lists;
    this.#takeBits = takeBits;
  }

  /**
   * Returns how the tracks of the regions are found that are available in all of the territories, until the next call;
   * undefined if there are none.
   */
  of(regions: readonly string[], territories: readonly string[]): FoundRegions | undefined {
    const { labels, size, restrictedRegions } = this.#segment;
    const unrestricted = regions
      .map((region) => this.#segment.labelNumber(regionLabel(region)))
      .filter((label) => label !== undefined);
    const restricted = restrictedRegions.filter(
      ({ region, availableIn }) =>
        regions.includes(region) && territories.every((code) => hasCode(availableIn, code)),
    );
    const found = [...unrestricted, ...restricted.map(({ label }) => label)];
    const [only, another] = found;
    if (only === undefined) return undefined;
    const count = found.reduce((sum, label) => sum + labels.counts[label]!, 0);
    if (count === size) return { isWhole: true };
    if (another === undefined) return { label: only };
    const lists = found.map((label) => this.#lists.sparse(label));
    return count <= MAX_LISTED && lists.every((list) => list !== undefined)
      ? { ordinals: Uint32Array.from(lists.flatMap((list) => [...list])).sort() }
      : { bits: this.#united(found) };
  }

  #united(labels: readonly number[]): Uint32Array {
    this.#bits ??= this.#takeBits();
    const key = labels.join();
    if (key === this.#key) return this.#bits;
    const bits = this.#bits.fill(0);
    for (const label of labels) {
      const list = this.#lists.sparse(label);
      if (list === undefined) {
        const dense = this.#lists.dense(label)!;
        for (let i = 0; i < bits.length; i++) bits[i]! |= dense[i]!;
      } else {
        for (const ordinal of list) bits[ordinal >>> 5]! |= 1 << (ordinal & 31);
      }
    }
    this.#key = key;
    return bits;
  }
}
