import type { IndexFacets, IndexQuery } from '../catalog/catalog-index.ts';
import { BitSpace } from './bit-memory.ts';
import type { Dictionary, TextPostings } from './dictionary.ts';
import { typeLabel, vocalsLabel } from './labels.ts';
import { LiveTracks } from './live-tracks.ts';
import type { Matches } from './matches.ts';
import { NameRanks } from './name-ranks.ts';
import { Restrictions } from './restrictions.ts';
import type { Segment } from './segment.ts';
import { type TextQuery, typosForgiven } from './text-query.ts';
import { TrackSet } from './track-set.ts';

/** Looking at the words of a track costs about so many postings gone through. */
const POSTINGS_A_LOOK = 8;

/** What counting one track's labels costs, which lie far apart, in postings gone through. */
const POSTINGS_A_TRACK = 60;

/** How many words of bitsets the kernel counts in the time of one posting. */
const WORDS_A_POSTING = 10;

/**
 * Answers queries from one segment, less the tracks that were taken out of it since it was built.
 * The sets it hands out are its own scratch, good until the next `begin`: a query allocates nothing
 * in proportion to the catalog.
 */
export class SegmentSearch {
  readonly segment: Segment;
  readonly live: LiveTracks;
  readonly #ranks: NameRanks;
  readonly #space: BitSpace;
  readonly #scratch: TrackSet[] = [];
  #scratchUsed = 0;
  /** A mark for each word of a dictionary, all 0 between two uses. */
  #marks = new Uint8Array();

  /** One to a segment, for their bitsets share a memory. */
  constructor(segment: Segment) {
    const { size, columns } = segment;
    this.segment = segment;
    this.#space = new BitSpace(size, {
      dense: columns.labels.dense,
      pieceBits: columns.words.pieceBits,
      ...(columns.memory && { memory: columns.memory }),
    });
    this.live = new LiveTracks(segment, this.#space.take());
    this.#ranks = new NameRanks(segment, () => this.take());
  }

  /** Begins a query; sets handed out before are void. */
  begin(): void {
    this.#scratchUsed = 0;
  }

  /** The live tracks that pass everything in the query but its text. */
  findAll(query: IndexQuery): Matches {
    const restrictions = Restrictions.of(this.segment, this.live, query);
    if (restrictions === undefined) {
      return this.take();
    }
    const { candidates, labels, ranges, from, to, bitsets } = restrictions;
    const isPlain = ranges.length === 0 && from === 0 && to === this.segment.size;
    if (isPlain && query.isrc === undefined && labels.length < 2) {
      return labels.length === 0 ? this.live.all : this.live.withLabel(labels[0]!);
    }
    const found = this.take();
    if (candidates !== undefined) {
      addAdmitted(found, candidates, restrictions);
    } else {
      found.become(bitsets, from, to);
      for (const { column, min, max } of ranges) {
        found.keepInRange(column, Math.max(min, 1), max);
      }
    }
    return found;
  }

  /** The live tracks whose names match the text, no typo forgiven, and that pass the rest of the query. */
  find(text: TextQuery, query: IndexQuery): TrackSet {
    const { words, symbols } = this.segment;
    return text.kind === 'literal'
      ? this.#findPostings([symbols.containing(text.text)], symbols, query)
      : this.#findPostings(
          text.words.map((word) => words.containing(word)),
          words,
          query,
        );
  }

  /** The same with typos forgiven in each word that is long enough. */
  findForgiving(text: Extract<TextQuery, { kind: 'words' }>, query: IndexQuery): TrackSet {
    const { words } = this.segment;
    return this.#findPostings(
      text.words.map((word) => words.containingOrNear(word, typosForgiven(word))),
      words,
      query,
    );
  }

  /** Moves tracks found by `find` whose name equals the text, and those that start with it, out of the set. */
  takeByName(text: TextQuery, found: TrackSet): [equal: TrackSet, starting: TrackSet] {
    return this.#ranks.takeByName(text, found);
  }

  /** Moves what is left, where every word stands whole, and where each is whole or begins one, out of the set. */
  takeByWords(text: TextQuery, found: TrackSet): [whole: TrackSet, beginning: TrackSet] {
    return this.#ranks.takeByWords(text, found);
  }

  /** Counts the labels of the tracks; at a million tracks up to some milliseconds. */
  facets(found: Matches): IndexFacets {
    const counts = found === this.live.all ? this.live.counts : this.#countLabels(found);
    const { segment } = this;
    const countOf = (label: string) => counts[segment.labelNumber(label) ?? -1] ?? 0;
    return {
      filters: segment.filterCounts(counts),
      types: nonZero(['music', 'sfx'] as const, (type) => countOf(typeLabel(type))),
      hasVocals: nonZero([true, false], (hasVocals) => countOf(vocalsLabel(hasVocals))),
    };
  }

  #countLabels(found: Matches): Uint32Array {
    const { labels, tracks, size } = this.segment;
    const counts = new Uint32Array(labels.counts.length);
    const byLabel = labels.dense.length / WORDS_A_POSTING + labels.sparse.length;
    if (found.count * POSTINGS_A_TRACK < byLabel) {
      found.visit(0, size, 0, (ordinal) => {
        const end = tracks.labelStarts[ordinal + 1]!;
        for (let i = tracks.labelStarts[ordinal]!; i < end; i++) {
          counts[tracks.labels[i]!]!++;
        }
        return false;
      });
      return counts;
    }
    const set = found instanceof TrackSet ? found : this.take();
    if (set !== found) {
      found.copyTo(set);
    }
    for (let label = 0; label < counts.length; label++) {
      const bits = this.live.dense(label);
      counts[label] =
        bits === undefined ? countSome(this.live.sparse(label)!, set) : set.countIn(bits);
    }
    return counts;
  }

  /** The live tracks with every one of the postings that pass the rest of the query. */
  #findPostings(postings: TextPostings[], dictionary: Dictionary, query: IndexQuery): TrackSet {
    const { words } = this.segment;
    const found = this.take();
    const restrictions = Restrictions.of(this.segment, this.live, query);
    if (restrictions === undefined) {
      return found;
    }
    const bitsets = postings.flatMap((one) => (one.kind === 'bits' ? [one.bits] : []));
    const byWords = postings
      .filter((one) => one.kind === 'words')
      .sort((a, b) => a.postings - b.postings);
    const [rarest, ...others] = byWords;
    const { candidates } = restrictions;
    if (candidates !== undefined && candidates.length < (rarest?.postings ?? Infinity)) {
      addAdmitted(found, candidates, restrictions);
    } else if (rarest !== undefined) {
      for (let i = 0; i < rarest.words.length; i++) {
        addAdmitted(found, dictionary.postings(rarest.words[i]!), restrictions);
      }
      if (query.isrc !== undefined) {
        found.keepWhere((ordinal) => candidates!.includes(ordinal));
      }
      byWords.splice(0, byWords.length, ...others);
    } else {
      found.become([...bitsets, ...restrictions.bitsets], restrictions.from, restrictions.to);
      for (const { column, min, max } of restrictions.ranges) {
        found.keepInRange(column, Math.max(min, 1), max);
      }
      return found;
    }
    for (const bits of bitsets) {
      found.keep(bits);
    }
    if (byWords.length === 0) {
      return found;
    }
    let [left, spare] = [found, this.take()];
    for (const one of byWords) {
      // Symbols have no forward lists.
      if (dictionary === words && left.count * POSTINGS_A_LOOK < one.postings) {
        this.#keepWithWords(left, one.words);
        continue;
      }
      spare.clear();
      for (let i = 0; i < one.words.length; i++) {
        spare.addAllIn(dictionary.postings(one.words[i]!), left);
      }
      [left, spare] = [spare, left];
    }
    return left;
  }

  #keepWithWords(found: TrackSet, words: ArrayLike<number>): void {
    const { tokens, tokenStarts } = this.segment.tracks;
    if (this.#marks.length === 0) {
      this.#marks = new Uint8Array(this.segment.words.words.length);
    }
    const marks = this.#marks;
    for (let i = 0; i < words.length; i++) {
      marks[words[i]!] = 1;
    }
    found.keepWhere((ordinal) => {
      const end = tokenStarts[ordinal + 1]!;
      for (let i = tokenStarts[ordinal]!; i < end; i++) {
        if (marks[tokens[i]!] === 1) {
          return true;
        }
      }
      return false;
    });
    for (let i = 0; i < words.length; i++) {
      marks[words[i]!] = 0;
    }
  }

  /** An empty set, good until the next `begin`. */
  take(): TrackSet {
    const at = this.#scratchUsed++;
    this.#scratch[at] ??= new TrackSet(this.#space.take(), this.#space.kernel);
    this.#scratch[at].clear();
    return this.#scratch[at];
  }
}

function addAdmitted(set: TrackSet, ordinals: Uint32Array, restrictions: Restrictions): void {
  if (restrictions.isOpen) {
    set.addAll(ordinals);
    return;
  }
  for (let i = 0; i < ordinals.length; i++) {
    if (restrictions.admits(ordinals[i]!)) {
      set.add(ordinals[i]!);
    }
  }
}

function countSome(ordinals: Uint32Array, set: TrackSet): number {
  let count = 0;
  for (let i = 0; i < ordinals.length; i++) {
    if (set.has(ordinals[i]!)) {
      count++;
    }
  }
  return count;
}

function nonZero<Key>(keys: readonly Key[], countOf: (key: Key) => number): Map<Key, number> {
  return new Map(keys.map((key) => [key, countOf(key)] as const).filter(([, count]) => count > 0));
}
