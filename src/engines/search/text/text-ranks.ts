import type { TrackSet } from '../sets/track-set.ts';
import { costOf, type FieldOccurrences, move, moveNarrowed } from './occurrences.ts';
import type { TextField } from './text-field.ts';
import { type TextQuery, type TextReading, typosForgiven } from './text-query.ts';

/** A field, and its translations if they are searched. */
type Level = readonly TextField[];

type WordQuery = Extract<TextQuery, { kind: 'words' }>;

/**
 * Ranks the tracks that match a text (docs/contract/search.md#ranks and #searched-fields). One is made for
 * each query. The level of a track is the first field that, together with those before it, has all words.
 * Within a level, a track ranks by its values in that field and by its words in these fields.
 */
export class TextRanks {
  readonly #levels: readonly Level[];
  readonly #takeSet: () => TrackSet;
  #spare: [TrackSet, TrackSet] | undefined;

  /**
   * @param levels the fields of each level, the most important first
   * @param takeSet returns empty sets that stay valid for the current query
   */
  constructor(levels: readonly Level[], takeSet: () => TrackSet) {
    this.#levels = levels;
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
      (fields) => conditionsOf(text, fields),
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
      (fields) => [forgivingConditions(text, fields)],
      (levels, level) => this.#typoRanks(text, levels.flat(), level, taken),
    );
  }

  /**
   * @param conditionsIn a track is of a level or a better one if it meets all conditions of one of these
   *   lists
   * @param ranksIn moves the ranks of a level, except for the last one, out of its tracks
   */
  *#byLevel(
    found: TrackSet,
    conditionsIn: (fields: readonly TextField[]) => FieldOccurrences[][],
    ranksIn: (levels: readonly Level[], level: TrackSet) => Iterable<TrackSet>,
  ): Generator<TrackSet> {
    const last = this.#levels.length - 1;
    const level = last === 0 ? found : this.#takeSet();
    for (let i = 0; i < last; i++) {
      const levels = this.#levels.slice(0, i + 1);
      level.clear();
      if (found.count > 0) {
        for (const conditions of conditionsIn(levels.flat()))
          this.#moveAll(conditions, found, level);
      }
      yield* ranksIn(levels, level);
      yield level;
    }
    yield* ranksIn(this.#levels, found);
  }

  *#wordRanks(
    { readings }: WordQuery,
    levels: readonly Level[],
    level: TrackSet,
    taken: TrackSet,
  ): Generator<TrackSet> {
    const fields = levels.flat();
    const last = levels.at(-1)!;
    const unfinished = readings.filter(({ isWhole }) => !isWhole);
    const beginnings = (some: readonly TextReading[]) =>
      level.count === 0
        ? []
        : some.flatMap(({ sequence }) => last.map((field) => field.startingWith(sequence)));
    const all = beginnings(readings);
    for (const how of ['equal', 'atWordEnd'] as const) {
      taken.clear();
      for (const one of all) one[how]((tracks) => level.moveAll(tracks, taken));
      yield taken;
    }
    yield this.#moveByWords(readings, 'whole', fields, level, taken);
    taken.clear();
    for (const one of beginnings(unfinished)) {
      one.insideWord((tracks) => level.moveAll(tracks, taken));
    }
    yield taken;
    yield this.#moveByWords(unfinished, 'beginning', fields, level, taken);
  }

  *#literalRanks(
    text: string,
    levels: readonly Level[],
    level: TrackSet,
    taken: TrackSet,
  ): Generator<TrackSet> {
    const matches = levels.at(-1)!.map((field) => field.literalMatch(text));
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

  /** Moves the tracks that have every word of one of the readings in the given way. */
  #moveByWords(
    readings: readonly TextReading[],
    standing: 'whole' | 'beginning',
    fields: readonly TextField[],
    level: TrackSet,
    taken: TrackSet,
  ): TrackSet {
    taken.clear();
    for (const { words } of readings) {
      if (level.count === 0) break;
      const conditions = words.map((word) => fields.map((field) => field[standing](word)));
      this.#moveAll(conditions, level, taken);
    }
    return taken;
  }

  #moveAll(conditions: readonly FieldOccurrences[], from: TrackSet, to: TrackSet): void {
    moveNarrowed(conditions, from, to, () => (this.#spare ??= [this.#takeSet(), this.#takeSet()]));
  }
}

/**
 * The conditions of the words of a text in some fields. A track matches if it meets all conditions of one of
 * the lists.
 */
export function conditionsOf(text: TextQuery, fields: readonly TextField[]): FieldOccurrences[][] {
  if (text.kind === 'literal')
    return [[fields.map((field) => field.containingLiterally(text.text))]];
  return text.readings.map(({ words, isWhole }) =>
    words.map((word) =>
      fields.map((field) => (isWhole ? field.whole(word) : field.containing(word))),
    ),
  );
}

function forgivingConditions(
  { readings }: WordQuery,
  fields: readonly TextField[],
): FieldOccurrences[] {
  return readings[0].words.map((word) =>
    fields.map((field) => field.containingOrNear(word, typosForgiven(word))),
  );
}
