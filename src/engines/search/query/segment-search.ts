import type { Concept, FilterNames, IndexFacets, IndexQuery } from '../catalog-index.ts';
import { filterLevel } from '../segments/label-field.ts';
import type { LicensedTracks } from '../segments/popularity.ts';
import type { Level, Segment } from '../segments/segment.ts';
import { countMemory } from '../segments/snapshot.ts';
import { type BitKernel, BitSpace } from '../sets/bit-kernel.ts';
import { LiveTracks } from '../sets/live-tracks.ts';
import type { Matches } from '../sets/matches.ts';
import type { Scores } from '../sets/scores.ts';
import type { SoundScratch } from '../sets/sounds.ts';
import { asSet, TrackSet } from '../sets/track-set.ts';
import { conditionsOf, FormMatches, writtenIn } from '../text/conditions.ts';
import {
  bitsetsOf,
  costOf,
  type FieldOccurrences,
  narrowed,
  ordered,
  testerOf,
} from '../text/occurrences.ts';
import type { Occurrences } from '../text/text-field.ts';
import { type TextQuery, typosForgiven } from '../text/text-query.ts';
import { TextRanks } from '../text/text-ranks.ts';
import { MAX_GRAM_LENGTH } from '../text/word-list.ts';
import { type Carriers, carriersOf } from './carriers.ts';
import { CommonMatches, WordMatches } from './counted-matches.ts';
import { countLabels, facetsOf } from './facets.ts';
import { Restrictions } from './restrictions.ts';

/** The word of a text that is one word of a name; undefined for other texts. */
function onlyWord(text: TextQuery): string | undefined {
  if (text.kind !== 'words' || text.readings.length > 1) return undefined;
  const { sequence } = text.readings[0];
  const isInNames = text.fields.length === 1 && text.fields[0] === 'name';
  return isInNames && sequence.length === 1 ? sequence[0] : undefined;
}

const NO_FIELDS: Level = { written: [], forms: [] };

/** The number of postings from which tracks that match by other forms are not found beside the counts of words. */
const MANY_FORMED = 4_096;

/** The number of tracks in a set that are not among the occurrences. */
function countOthers(set: TrackSet, place: Occurrences): number {
  const isAmong = testerOf(place);
  let others = 0;
  set.each((ordinal) => {
    if (!isAmong(ordinal)) others++;
  });
  return others;
}

/** The number of tracks up to which their words are far fewer than the words of the dictionary. */
const FEW_TRACKS = 100;

/**
 * Answers queries from one segment without the tracks that were removed from it since it was built. The sets
 * that it returns are its own scratch sets and stay valid until the next `begin`, so that a query allocates
 * no memory in proportion to the catalog.
 */
export class SegmentSearch {
  readonly segment: Segment;
  readonly live: LiveTracks;
  /** The licensed tracks, by the name of the popularity. */
  readonly licensed = new Map<string, LicensedTracks>();
  readonly #space: BitSpace;
  readonly #scratch: TrackSet[] = [];
  #scratchUsed = 0;
  readonly #filterLevels = new WeakMap<FilterNames, Level>();

  constructor(segment: Segment) {
    const { size, columns } = segment;
    this.segment = segment;
    countMemory(columns);
    this.#space = new BitSpace(size, columns);
    this.live = new LiveTracks(segment, this.#space);
  }

  /** What the bitsets of this search, and sounds, are compared with. */
  get kernel(): BitKernel {
    return this.#space.kernel;
  }

  get scratch(): SoundScratch {
    return this.#space.scratch;
  }

  /** Begins a query. Sets that were returned before become invalid. */
  begin(): void {
    this.#scratchUsed = 0;
    this.live.unions.begin();
  }

  /** The live tracks that meet everything in the query except the text. */
  findAll(query: IndexQuery): Matches {
    const restrictions = Restrictions.of(this.segment, this.live, query);
    if (restrictions === undefined) {
      return this.take();
    }
    const { labels } = restrictions;
    if (restrictions.isByLabels) {
      if (labels.length === 0) return this.live.all;
      if (labels.length === 1) return this.live.withLabel(labels[0]!);
      const count = this.live.together.countOf(labels);
      if (count !== undefined) {
        return new CommonMatches(count, restrictions, () => this.#gathered(restrictions));
      }
    }
    return this.#gathered(restrictions);
  }

  /** The live tracks that match the text without typos and meet the rest of the query. */
  find(
    text: TextQuery,
    query: IndexQuery,
    restrictions = Restrictions.of(this.segment, this.live, query),
  ): TrackSet {
    const written = writtenIn(this.#levelsOf(text));
    const [first, ...others] = [
      ...conditionsOf(text, written),
      ...this.#formMatches(text).conditions,
    ];
    const found = this.#findAll(first!, query, restrictions);
    for (const conditions of others) {
      const used = this.#scratchUsed;
      found.addSet(this.#findAll(conditions, query, restrictions));
      this.#scratchUsed = used;
    }
    return found;
  }

  /**
   * Like `find`, for a page of the best matches. A text of one word is counted without reading its tracks, if
   * the query restricts only their kind.
   */
  findBest(text: TextQuery, query: IndexQuery): Matches {
    const word = onlyWord(text);
    const { live, segment } = this;
    const restrictions = Restrictions.of(segment, live, query);
    if (word === undefined || !live.words.areKnown || !restrictions?.isByLabels) {
      return this.find(text, query, restrictions);
    }
    if (this.#isTranslated(text, word)) return this.find(text, query, restrictions);
    const { labels } = restrictions;
    const { kinds, others } = live.kindLabels.split(labels);
    if (others.length > 0) return this.find(text, query, restrictions);
    const found = segment.nameWords.containing(word);
    if (found.kind === 'words' && word.length < MAX_GRAM_LENGTH)
      return this.find(text, query, restrictions);
    const formed = this.#fewFormed(text, restrictions);
    if (formed === undefined) return this.find(text, query, restrictions);
    const isWanted = (ordinal: number) => restrictions.admits(ordinal);
    const field = segment.fields.name;
    const counted = live.words.countOf(found, kinds, isWanted, this.take());
    const count = counted + (formed === 'none' ? 0 : countOthers(formed, field.containing(word)));
    const admitted = labels.length === 0 ? live.count : live.together.countOf(labels)!;
    return new WordMatches(count, {
      word,
      field,
      forms: formed === 'none' ? undefined : this.#formMatches(text),
      restrictions,
      share: admitted / segment.size,
      size: segment.size,
      live: live.bits,
      takeSet: () => this.take(),
      write: () => this.find(text, query, restrictions),
    });
  }

  #formed: { text: TextQuery; matches: FormMatches } | undefined;

  /** The matches by other forms, which one query needs several times. */
  #formMatches(text: TextQuery): FormMatches {
    if (this.#formed?.text !== text) {
      this.#formed = { text, matches: new FormMatches(text, this.#levelsOf(text)) };
    }
    return this.#formed.matches;
  }

  /** The admitted tracks that a text of one word finds by other forms; undefined if they may be many. */
  #fewFormed(text: TextQuery, restrictions: Restrictions): TrackSet | 'none' | undefined {
    const { conditions } = this.#formMatches(text);
    if (conditions.length === 0) return 'none';
    const places = conditions.flat(2);
    if (conditions.some((list) => list.length > 1) || costOf(places) > MANY_FORMED)
      return undefined;
    const formed = this.take();
    for (const place of places) {
      if (place.kind === 'lists') place.each((tracks) => restrictions.addAdmitted(tracks, formed));
    }
    return formed.count === 0 ? 'none' : formed;
  }

  /**
   * Like `find`, but forgives typos in each word that is long enough. Searching the whole dictionary for near
   * words is expensive, so the search begins with words that allow few typos, continues among the words of
   * the found tracks once these are few, and ends when there are none.
   */
  findForgiving(text: Extract<TextQuery, { kind: 'words' }>, query: IndexQuery): TrackSet {
    const fields = writtenIn(this.#levelsOf(text));
    const [first, ...others] = text.readings[0].words
      .map((word) => ({ word, typos: typosForgiven(word) }))
      .sort((a, b) => a.typos - b.typos);
    const near = (word: string, typos: number) =>
      fields.map((field) => field.containingOrNear(word, typos));
    let left = this.#findAll([near(first!.word, first!.typos)], query);
    let spare = this.take();
    for (const { word, typos } of others) {
      if (left.count === 0) break;
      const places =
        left.count > FEW_TRACKS
          ? near(word, typos)
          : fields.map((field) => field.containingOrNearAmong(word, typos, left));
      const next = narrowed(left, [places], () => spare);
      if (next !== left) spare = left;
      left = next;
    }
    return left;
  }

  /**
   * Moves the tracks that `findBest`, `find` or `findForgiving` found out of the set rank by rank, best first;
   * the last rank is what remains in it. Each yielded set is valid until the next one is requested.
   * @param most the number of tracks of all ranks together that are needed; more may be missing
   */
  ranks(text: TextQuery, found: Matches, isForgiving: boolean, most: number): Generator<Matches> {
    if (found instanceof WordMatches) return found.ranks(most);
    if (!(found instanceof TrackSet)) throw new Error('A text finds words or a set');
    const ranks = new TextRanks(this.#levelsOf(text), () => this.take(), this.#formMatches(text));
    return isForgiving && text.kind === 'words'
      ? ranks.withTypos(text, found)
      : ranks.of(text, found);
  }

  /** The tracks that carry a concept, until a track is removed. */
  carriersOf(concept: Concept, translations: boolean): Carriers {
    return this.#returningSets((needs) => carriersOf(needs, concept, translations));
  }

  /** Adds the live tracks that carry a concept to an empty set. */
  addCarriers(carriers: Carriers, set: TrackSet): void {
    this.#returningSets((needs) => carriers.addLive(set, needs));
  }

  removeCarriers(carriers: Carriers, set: TrackSet): void {
    this.#returningSets((needs) => {
      const carried = needs.take();
      carriers.addLive(carried, needs);
      set.removeAll(carried);
    });
  }

  /** Keeps only the tracks of a set that meet another query without a text. */
  keepFound(set: TrackSet, query: IndexQuery): void {
    this.#returningSets(({ take }) => set.keepAll(asSet(this.findAll(query), take)));
  }

  /** Calls a function that needs sets only until it returns. */
  #returningSets<Result>(
    use: (needs: { segment: Segment; live: LiveTracks; take: () => TrackSet }) => Result,
  ): Result {
    const used = this.#scratchUsed;
    const { segment, live } = this;
    const result = use({ segment, live, take: () => this.take() });
    this.#scratchUsed = used;
    return result;
  }

  /** Zeros, for the scores of one query. */
  takeScores(): Scores {
    const { scores, kernel } = this.#space;
    kernel.clear(scores.words);
    return scores;
  }

  /** Counts the labels of the tracks. With a million tracks this takes up to a few milliseconds. */
  facets(found: Matches, query: IndexQuery): IndexFacets {
    const known = query.text === undefined ? this.#knownCounts(query) : undefined;
    const counts = known ?? countLabels(found, this.segment, this.live, () => this.take());
    return facetsOf(counts, this.segment);
  }

  /**
   * The number of tracks with each label among those of a query without a text; undefined if it is not known
   * without counting.
   */
  #knownCounts(query: IndexQuery): Uint32Array | undefined {
    const restrictions = Restrictions.of(this.segment, this.live, query);
    if (!restrictions?.isByLabels) return undefined;
    return restrictions.labels.length === 0
      ? this.live.counts
      : this.live.together.countsWith(restrictions.labels);
  }

  #gathered(restrictions: Restrictions): TrackSet {
    const found = this.take();
    restrictions.collect(found, () => this.take());
    return found;
  }

  #levelsOf({ fields, translations, filterNames }: TextQuery): Level[] {
    return fields.map((name) =>
      name === 'filters'
        ? this.#filterLevel(filterNames)
        : this.segment.levelOf(name, translations),
    );
  }

  #filterLevel(names: FilterNames | undefined): Level {
    if (names === undefined) return NO_FIELDS;
    let level = this.#filterLevels.get(names);
    if (level === undefined) {
      level = filterLevel(this.segment, names);
      this.#filterLevels.set(names, level);
    }
    return level;
  }

  /** Whether a word is in translated names, which are not counted with the words of names. */
  #isTranslated({ translations }: TextQuery, word: string): boolean {
    const names = translations ? this.segment.translations.name : undefined;
    return names !== undefined && costOf([names.containing(word)]) > 0;
  }

  #findAll(
    conditions: readonly FieldOccurrences[],
    query: IndexQuery,
    restrictions = Restrictions.of(this.segment, this.live, query),
  ): TrackSet {
    const found = this.take();
    const bitsets: Uint32Array[] = [];
    const others: FieldOccurrences[] = [];
    for (const places of conditions) {
      const [only, another] = bitsetsOf(places) ?? [];
      if (only !== undefined && another === undefined) bitsets.push(only);
      else others.push(places);
    }
    const all = ordered(others);
    const [rarest, ...rest] = all;
    const least = rarest === undefined ? Infinity : costOf(rarest);
    if (restrictions === undefined || least === 0) {
      return found;
    }
    const { candidates } = restrictions;
    if (candidates !== undefined && candidates.length < least) {
      restrictions.addAdmitted(candidates, found);
      for (const bits of bitsets) found.keep(bits);
      return this.#narrowed(found, all);
    }
    if (least < Infinity) {
      for (const place of rarest!) {
        if (place.kind === 'lists') place.each((tracks) => restrictions.addAdmitted(tracks, found));
      }
      if (query.isrc !== undefined) {
        found.keepWhere((ordinal) => candidates!.includes(ordinal));
      }
      for (const bits of bitsets) found.keep(bits);
      return this.#narrowed(found, rest);
    }
    restrictions.collect(found, () => this.take(), bitsets);
    return this.#narrowed(found, all);
  }

  #narrowed(found: TrackSet, conditions: readonly FieldOccurrences[]): TrackSet {
    return narrowed(found, conditions, () => this.take());
  }

  /** Returns an empty set that stays valid until the next `begin`. */
  take(): TrackSet {
    const at = this.#scratchUsed++;
    this.#scratch[at] ??= new TrackSet(this.#space.take(), this.#space.kernel);
    this.#scratch[at].clear();
    return this.#scratch[at];
  }
}
