import type { Level } from '../segments/segment.ts';
import type { TrackSet } from '../sets/track-set.ts';
import {
  conditionsOf,
  FormMatches,
  type Standing,
  type WordQuery,
  writtenIn,
} from './conditions.ts';
import { costOf, type FieldOccurrences, move, moveNarrowed } from './occurrences.ts';
import type { Beginnings, TextField } from './text-field.ts';
import { type TextQuery, typosForgiven } from './text-query.ts';

/** The number of ranks of a text in one level that are no matches only inside words, which are two more. */
export const RANKS_BEFORE_INSIDE = 10;

/**
 * Ranks the tracks that match a text (docs/contract/search.md#ranks and #searched-fields). One is made for
 * each query. The level of a track is the first field that, together with those before it, has all words.
 * Within a level, a track ranks by its values in that field and by its words in these fields.
 */
export class TextRanks {
  readonly #levels: readonly Level[];
  readonly #takeSet: () => TrackSet;
  readonly #formMatches: FormMatches;
  #spare: [TrackSet, TrackSet] | undefined;

  /**
   * @param levels the fields of each level, the most important first
   * @param formMatches the matches by other forms in all levels
   * @param takeSet returns empty sets that stay valid for the current query
   */
  constructor(levels: readonly Level[], takeSet: () => TrackSet, formMatches: FormMatches) {
    this.#levels = levels;
    this.#formMatches = formMatches;
    this.#takeSet = takeSet;
  }

  /**
   * Moves the tracks out of `found` rank by rank, best first. The last rank is what remains in it: tracks
   * with the text only inside words of the last field. Each yielded set is valid until the next one is
   * requested. For one text, every segment has the same number of ranks.
   */
  *of(text: TextQuery, found: TrackSet): Generator<TrackSet> {
    const taken = this.#takeSet();
    yield* this.#byLevel(
      found,
      (levels) => [
        ...conditionsOf(text, writtenIn(levels)),
        ...new FormMatches(text, levels).conditions,
      ],
      text.kind === 'literal'
        ? (levels, level) => this.#literalRanks(text.text, levels, level, taken)
        : (levels, level) => this.#wordRanks(text, levels, level, taken),
    );
  }

  /** Like `of`, for tracks that match with typos: in each level, tracks with one typo come first. */
  *withTypos(text: WordQuery, found: TrackSet): Generator<TrackSet> {
    const taken = this.#takeSet();
    yield* this.#byLevel(
      found,
      (levels) => [forgivingConditions(text, writtenIn(levels))],
      (levels, level) => this.#typoRanks(text, writtenIn(levels), level, taken),
    );
  }

  /**
   * @param conditionsIn a track is of a level or a better one if it meets all conditions of one of these
   *   lists
   * @param ranksIn moves the ranks of a level, except for the last one, out of its tracks
   */
  *#byLevel(
    found: TrackSet,
    conditionsIn: (levels: readonly Level[]) => FieldOccurrences[][],
    ranksIn: (levels: readonly Level[], level: TrackSet) => Iterable<TrackSet>,
  ): Generator<TrackSet> {
    const last = this.#levels.length - 1;
    const level = last === 0 ? found : this.#takeSet();
    for (let i = 0; i < last; i++) {
      const levels = this.#levels.slice(0, i + 1);
      level.clear();
      if (found.count > 0) {
        for (const conditions of conditionsIn(levels)) this.#moveAll(conditions, found, level);
      }
      yield* ranksIn(levels, level);
      yield level;
    }
    yield* ranksIn(this.#levels, found);
  }

  /** Of each kind of match, first the matches as written, then those by other forms. */
  *#wordRanks(
    text: WordQuery,
    levels: readonly Level[],
    level: TrackSet,
    taken: TrackSet,
  ): Generator<TrackSet> {
    const fields = writtenIn(levels);
    const isOfAll = levels.length === this.#levels.length;
    const forms = isOfAll ? this.#formMatches : new FormMatches(text, levels);
    const isByForms = level.count > 0 && forms.conditions.length > 0;
    const formed = (standing: Standing) => (isByForms ? forms.standing(standing) : []);
    const beginnings = (isUnfinished: boolean) => {
      if (level.count === 0) return [[], []];
      const written = text.readings
        .filter(({ isWhole }) => !isUnfinished || !isWhole)
        .flatMap(({ sequence }) =>
          levels.at(-1)!.written.map((field) => field.startingWith(sequence)),
        );
      return [written, forms.beginnings(isUnfinished)];
    };
    const all = beginnings(false);
    for (const how of ['equal', 'atWordEnd'] as const) {
      for (const some of all) yield moveLists(some, how, level, taken);
    }
    yield this.#moveAny(() => conditionsOf(text, fields, 'whole'), level, taken);
    yield this.#moveAny(() => formed('whole'), level, taken);
    for (const some of beginnings(true)) {
      yield moveLists(some, 'insideWord', level, taken);
    }
    yield this.#moveAny(() => conditionsOf(text, fields, 'beginning'), level, taken);
    yield this.#moveAny(() => formed('beginning'), level, taken);
    if (isByForms) {
      yield this.#moveAny(() => conditionsOf(text, fields), level, taken);
    } else {
      // All others match as written.
      yield level;
      level.clear();
    }
  }

  *#literalRanks(
    text: string,
    levels: readonly Level[],
    level: TrackSet,
    taken: TrackSet,
  ): Generator<TrackSet> {
    const matches = levels.at(-1)!.written.map((field) => field.literalMatch(text));
    for (const wanted of ['equal', 'starting'] as const) {
      taken.clear();
      level.each((ordinal) => {
        if (matches.some((standing) => standing(ordinal) === wanted)) move(ordinal, level, taken);
      });
      yield taken;
    }
  }

  *#typoRanks(
    { readings: [{ words }] }: WordQuery,
    fields: readonly TextField[],
    level: TrackSet,
    taken: TrackSet,
  ): Generator<TrackSet> {
    taken.clear();
    if (level.count > 0) {
      const exact = words.map((word) => fields.map((field) => field.containing(word)));
      const nowhere = exact.filter((places) => costOf(places) === 0).length;
      for (const [i, word] of words.entries()) {
        // A word that no track has exactly needs the typo; two such words need two typos.
        if (typosForgiven(word) === 0 || nowhere > (costOf(exact[i]!) === 0 ? 1 : 0)) continue;
        const near = fields.map((field) => field.containingOrNear(word, 1));
        this.#moveAll([near, ...exact.toSpliced(i, 1)], level, taken);
      }
    }
    yield taken;
  }

  /** Moves the tracks that meet all conditions of one of the lists, which are made if there are tracks. */
  #moveAny(conditions: () => FieldOccurrences[][], level: TrackSet, taken: TrackSet): TrackSet {
    taken.clear();
    if (level.count > 0) {
      for (const list of conditions()) this.#moveAll(list, level, taken);
    }
    return taken;
  }

  #moveAll(conditions: readonly FieldOccurrences[], from: TrackSet, to: TrackSet): void {
    moveNarrowed(conditions, from, to, () => (this.#spare ??= [this.#takeSet(), this.#takeSet()]));
  }
}

function moveLists(
  beginnings: readonly Beginnings[],
  how: keyof Beginnings,
  from: TrackSet,
  to: TrackSet,
): TrackSet {
  to.clear();
  for (const one of beginnings) one[how]((tracks) => from.moveAll(tracks, to));
  return to;
}

function forgivingConditions(
  { readings }: WordQuery,
  fields: readonly TextField[],
): FieldOccurrences[] {
  return readings[0].words.map((word) =>
    fields.map((field) => field.containingOrNear(word, typosForgiven(word))),
  );
}
