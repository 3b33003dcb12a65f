import type { IndexFacets, IndexQuery } from '../catalog/catalog-index.ts';
import { BitSpace } from './bit-memory.ts';
import { CommonMatches } from './common-matches.ts';
import { countMemory } from './counted-memory.ts';
import type { Dictionary, TextPostings } from './dictionary.ts';
import { countLabels, facetsOf } from './facets.ts';
import { LiveTracks } from './live-tracks.ts';
import type { Matches } from './matches.ts';
import { NameRanks, POSTINGS_A_LOOK } from './name-ranks.ts';
import { Restrictions } from './restrictions.ts';
import type { Segment } from './segment.ts';
import { type TextQuery, typosForgiven } from './text-query.ts';
import { TrackSet } from './track-set.ts';

/** So few tracks have fewer words than the dictionary by far. */
const FEW_TRACKS = 100;

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

  constructor(segment: Segment) {
    const { size, columns } = segment;
    this.segment = segment;
    countMemory(columns);
    this.#space = new BitSpace(size, columns);
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
    const { labels } = restrictions;
    if (restrictions.isByLabels) {
      if (labels.length === 0) return this.live.all;
      if (labels.length === 1) return this.live.withLabel(labels[0]!);
      const count = this.live.pairs.countOf(labels);
      if (count !== undefined) {
        return new CommonMatches(count, restrictions, () => this.#gathered(restrictions));
      }
    }
    return this.#gathered(restrictions);
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

  /**
   * The same with typos forgiven in each word that is long enough. Looking for those in the whole
   * dictionary takes its time: it begins with words that allow few, looks among the words of the
   * tracks left once these are few, and ends when there are none.
   */
  findForgiving(text: Extract<TextQuery, { kind: 'words' }>, query: IndexQuery): TrackSet {
    const { words } = this.segment;
    const [first, ...others] = text.words
      .map((word) => ({ word, typos: typosForgiven(word) }))
      .sort((a, b) => a.typos - b.typos);
    let left = this.#findPostings(
      [words.containingOrNear(first!.word, first!.typos)],
      words,
      query,
    );
    let spare = this.take();
    for (const { word, typos } of others) {
      if (left.count === 0) break;
      const postings =
        left.count > FEW_TRACKS
          ? words.containingOrNear(word, typos)
          : words.containingOrNearAmong(word, typos, this.#wordsOf(left));
      const narrowed = this.#narrowed(left, [postings], words, spare);
      if (narrowed !== left) spare = left;
      left = narrowed;
    }
    return left;
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
  facets(found: Matches, query: IndexQuery): IndexFacets {
    const known = query.text === undefined ? this.#knownCounts(query) : undefined;
    const counts = known ?? countLabels(found, this.segment, this.live, () => this.take());
    return facetsOf(counts, this.segment);
  }

  /** How many of the tracks of a query without a text have each label, where that is known without counting. */
  #knownCounts(query: IndexQuery): Uint32Array | undefined {
    const restrictions = Restrictions.of(this.segment, this.live, query);
    if (!restrictions?.isByLabels) return undefined;
    return restrictions.labels.length === 0
      ? this.live.counts
      : this.live.pairs.countsWith(restrictions.labels);
  }

  #gathered(restrictions: Restrictions): TrackSet {
    const found = this.take();
    restrictions.gather(found, () => this.take());
    return found;
  }

  /** The live tracks with every one of the postings that pass the rest of the query. */
  #findPostings(postings: TextPostings[], dictionary: Dictionary, query: IndexQuery): TrackSet {
    const found = this.take();
    const restrictions = Restrictions.of(this.segment, this.live, query);
    const byWords = postings
      .filter((one) => one.kind === 'words')
      .sort((a, b) => a.postings - b.postings);
    const [rarest] = byWords;
    if (restrictions === undefined || rarest?.postings === 0) {
      return found;
    }
    const byBits = postings.filter((one) => one.kind === 'bits');
    const { candidates } = restrictions;
    if (candidates !== undefined && candidates.length < (rarest?.postings ?? Infinity)) {
      restrictions.addAdmitted(candidates, found);
      return this.#narrowed(found, [...byBits, ...byWords], dictionary);
    }
    if (rarest !== undefined) {
      for (let i = 0; i < rarest.words.length; i++) {
        restrictions.addAdmitted(dictionary.postings(rarest.words[i]!), found);
      }
      if (query.isrc !== undefined) {
        found.keepWhere((ordinal) => candidates!.includes(ordinal));
      }
      return this.#narrowed(found, [...byBits, ...byWords.slice(1)], dictionary);
    }
    restrictions.gather(
      found,
      () => this.take(),
      byBits.map(({ bits }) => bits),
    );
    return found;
  }

  /** Those of the set that have every one of the postings; it may be another set, then the spare one. */
  #narrowed(
    found: TrackSet,
    postings: readonly TextPostings[],
    dictionary: Dictionary,
    spareSet?: TrackSet,
  ): TrackSet {
    let left = found;
    let spare = spareSet;
    if (left.count === 0) return left;
    for (const one of postings) {
      if (one.kind === 'bits') {
        left.keep(one.bits);
      } else if (
        // Symbols have no forward lists.
        dictionary === this.segment.words &&
        left.count * POSTINGS_A_LOOK < one.postings
      ) {
        this.#keepWithWords(left, one.words);
      } else {
        const both = spare ?? this.take();
        both.clear();
        for (let i = 0; i < one.words.length; i++) {
          both.addAllIn(dictionary.postings(one.words[i]!), left);
        }
        [left, spare] = [both, left];
      }
      if (left.count === 0) return left;
    }
    return left;
  }

  /** The words of the tracks' names, as positions in the dictionary, each once. */
  #wordsOf(found: TrackSet): number[] {
    const { tokens, tokenStarts } = this.segment.tracks;
    const words = new Set<number>();
    found.each((ordinal) => {
      for (let i = tokenStarts[ordinal]!; i < tokenStarts[ordinal + 1]!; i++) {
        words.add(tokens[i]!);
      }
    });
    return [...words];
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
