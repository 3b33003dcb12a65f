/** The row ids greater than `after` and up to `upTo`. */
export interface RowIdRange {
  after: number;
  upTo: number;
}

export interface IndexEntry {
  /** The row id of the track in the store, 1 to 4,294,967,295. It is never given to another track. */
  rowId: number;
  id: string;
  /** The name as delivered. The index folds it. */
  name: string;
  type: TrackType;
  hasVocals: boolean;
  /** Whether a track without vocals is known to have none; default: false. */
  isInstrumental?: boolean;
  /** Default: true. */
  hasAudio?: boolean;
  /** How much of it a machine made; default: unknown. */
  ai?: AiShare;
  /** Whether machines may learn from it; absent if that is unknown. */
  trainingAllowed?: boolean;
  /** In milliseconds since the epoch; may be negative. */
  releasedAt: number;
  /** 0 if unknown. */
  durationSeconds: number;
  /** Beats per minute with up to three decimals; 0 if unknown. */
  bpm: number;
  /** The keys as delivered (`C major`); empty if unknown. */
  songKeys: readonly string[];
  /** Lower-case UUIDs. Equal ids should be the same string object, which saves memory. */
  filterIds: readonly string[];
  /** `""` if unknown. */
  isrc: string;
  /**
   * The names of the credits as delivered, primary artists first. Equal lists should be the same array, which saves
   * memory.
   */
  artists: readonly string[];
  tags: readonly string[];
  /** The code of where the track may be used, in upper case; `WORLD` if unknown. */
  region: string;
  /** The codes of the countries in which it is available now, ascending, with spaces between them; absent if everywhere. */
  availableIn?: string;
  /** The translated names and tags of all languages; absent if there are none. */
  aliases?: readonly string[];
  aliasTags?: readonly string[];
  /** How its audio sounds: a vector of 64 signed bytes; absent if unknown. */
  sound?: Uint8Array;
}

/** What is known of the vocals of a track. */
export const VOCALS = ['vocal', 'instrumental', 'unknown'] as const;
export type Vocals = (typeof VOCALS)[number];

/** How much of a track a machine made. */
export const AI_SHARES = ['none', 'assisted', 'generated', 'unknown'] as const;
export type AiShare = (typeof AI_SHARES)[number];

/** What is known of whether machines may learn from a track. */
export const TRAINING_ANSWERS = ['true', 'false', 'unknown'] as const;
export type TrainingAnswer = (typeof TRAINING_ANSWERS)[number];

/** The fields that a text can be searched in. A match in a field ranks above a match in a later field. */
export const TEXT_FIELDS = ['name', 'artists', 'tags', 'filters'] as const;
export type TextFieldName = (typeof TEXT_FIELDS)[number];
/** The fields that a segment contains. The names of filters come with a query. */
export type StoredFieldName = Exclude<TextFieldName, 'filters'>;
/** The fields that a track may have several values of. */
export type ValueFieldName = Exclude<StoredFieldName, 'name'>;

/** The names of all filters in the languages in which they are searched. Equal names should be the same object. */
export interface FilterNames {
  readonly names: readonly { id: string; texts: readonly string[] }[];
  /** Tells them from the names in other languages, in the keys of caches. */
  toJSON(): string;
}

/**
 * A query of the index. A track must meet all members that are present. Ranges include both ends; a track
 * whose value is unknown is in no range.
 */
export interface IndexQuery {
  /** Free text, as the caller wrote it (docs/contract/search.md#text). */
  text?: string;
  /**
   * The fields to search; by default the name. Each word must be in one of them. A match ranks by the last
   * field that any of its words needs, then by how well the text matches that field, with its words in all
   * fields up to it.
   */
  in?: readonly TextFieldName[];
  /** Needed to search in `filters`. */
  filterNames?: FilterNames;
  /** Whether translations of names and tags are searched, too. A translation matches as well as the original. */
  aliases?: boolean;
  type?: TrackType;
  hasVocals?: boolean;
  /** One of these, in the order of `VOCALS` without repetitions. */
  vocals?: readonly Vocals[];
  hasAudio?: boolean;
  /** One of these, in the order of `AI_SHARES` without repetitions. */
  ai?: readonly AiShare[];
  trainingAllowed?: TrainingAnswer;
  /** The name of one of the artists, compared as texts of searches are; not blank. */
  artist?: string;
  /** A track must have all of these filters; lower-case UUIDs without repetitions. */
  filterIds?: readonly string[];
  /** Groups of filters; a track must have at least one of each group. Lower-case UUIDs without repetitions. */
  anyFilterIds?: readonly (readonly string[])[];
  /** A track must have none of these filters; lower-case UUIDs. */
  notFilterIds?: readonly string[];
  isrc?: string;
  /** The track must have one of these keys, in any notation (docs/contract/search.md#keys). */
  songKeys?: readonly string[];
  /** The region of the track must be one of these codes, in ascending order without repetitions. */
  regions?: readonly string[];
  /** With `regions`: countries, or `WORLD`, in all of which the track must be available now. */
  territories?: readonly string[];
  bpmMin?: number;
  bpmMax?: number;
  /** In seconds. */
  durationMin?: number;
  durationMax?: number;
  /** In milliseconds since the epoch. */
  releasedFrom?: number;
  releasedTo?: number;
  /** Only tracks whose row id is greater: those created after that track. */
  rowIdAbove?: number;
  /** Only tracks whose row id is at most this. */
  rowIdTo?: number;
}

/**
 * The orders of a page. `relevance` is best match first, and without a text the same as `newest`. `name` is A
 * to Z by the folded name; names without a letter or digit come last. `bpm` and `duration` are ascending;
 * unknown values come last. `popular` is most licensed first. Ties are ordered newest first, then by id.
 * `oldest` is the reverse of `newest`.
 */
export const TRACK_SORTS = [
  'relevance',
  'newest',
  'oldest',
  'name',
  'bpm',
  'duration',
  'popular',
] as const;
/** The orders of the index: also `created`, which is the last created track first, by the row id. */
export const INDEX_SORTS = [...TRACK_SORTS, 'created'] as const;
export type IndexSort = (typeof INDEX_SORTS)[number];

export interface PageRequest {
  offset: number;
  limit: number;
  /** Default: `relevance`. */
  sort?: IndexSort;
  /**
   * The name of the popularity that `popular` sorts by, as given to `setPopularity`. If it is unknown, all
   * counts are 0.
   */
  popularity?: string;
  /** Whether to count the facets of the whole result. */
  facets?: boolean;
}

/** The number of matching tracks with each property. Properties that none of them has are absent. */
export interface IndexFacets {
  filters: ReadonlyMap<string, number>;
  types: ReadonlyMap<TrackType, number>;
  hasVocals: ReadonlyMap<boolean, number>;
  vocals: ReadonlyMap<Vocals, number>;
  ai: ReadonlyMap<AiShare, number>;
  trainingAllowed: ReadonlyMap<TrainingAnswer, number>;
}

export interface IndexPage {
  /** The exact number of matches. */
  total: number;
  /** The row ids of the tracks at `offset` to `offset + limit - 1` in order; empty past the end. */
  rowIds: number[];
  /** Present if they were requested. */
  facets?: IndexFacets;
}

/** A value of a field, as one of its tracks has it. */
export interface FieldValue {
  text: string;
  /** The number of tracks with the value, at least one. Tracks that were changed or removed since may be counted. */
  tracks: number;
}

/** A value that consists of `length` words of a text, from the word `from` on. */
export interface ValueInText extends FieldValue {
  from: number;
  length: number;
}

/**
 * Something that a track should have, in any of these ways; a track that has one of them carries the concept. Texts are
 * compared as in searches: without regard to case, accents and punctuation.
 */
export interface Concept {
  /** How much it counts: above 0, at most 1. */
  weight: number;
  /** Lower-case UUIDs. */
  filterIds?: readonly string[];
  /** Texts that one of the tags equals. */
  tags?: readonly string[];
  /** Texts that the name of one of the artists equals. */
  artists?: readonly string[];
  /** Texts of which the name has every word, as whole words in any order. */
  words?: readonly string[];
  /** A query without a text that the track meets. */
  meets?: IndexQuery;
}

/** How tracks are ranked, and which ones besides those that a query excludes. */
export interface Ranking {
  /** At most 50. A track must carry one of them, if there are any. */
  concepts: readonly Concept[];
  /** Further queries without a text, all of which a track must meet. */
  required?: readonly IndexQuery[];
  /** A track carries none of them; their weights do not count. */
  excluded?: readonly Concept[];
  /** Whether tracks that are known to be instrumental come before others with the same score. */
  instrumentalFirst?: boolean;
}

/** A page of ranked tracks; its order is their score. */
export type RankRequest = Pick<PageRequest, 'offset' | 'limit' | 'facets'>;

export interface RankedPage extends IndexPage {
  /** The ids of the tracks of the row ids. */
  ids: string[];
  /** For each of the row ids, the positions of the concepts that the track carries, the one that adds most first. */
  carried: number[][];
}

/** A track that is live again, and the `seq` of the change that restored it. */
export interface RestoredTrack {
  entry: IndexEntry;
  seq: number;
}

/** Is called with the tracks that change, and the `seq` of the last of their changes. */
export type WillChange = (rowIds: Uint32Array, seq: number) => Promise<void>;

/**
 * The search index over all live tracks. Every order is total, so pages of an unchanged catalog never
 * overlap. Queries are synchronous: the index is in memory and does no I/O.
 */
export interface CatalogIndex {
  search(query: IndexQuery, page: PageRequest): IndexPage;
  /**
   * The tracks that meet a query without a text and a ranking, the greatest score first. The score of a track is the sum
   * of `weight · ln(1 + (N - n + 0.5) / (n + 0.5))` over the concepts that it carries, where n of all N live tracks carry
   * the concept: the inverse document frequency of BM25. Scores that differ by less than a 30,000th of the greatest
   * possible one may count as equal, and equal scores are in catalog order. With `aliases`, translated names and tags
   * count, too.
   */
  rank(query: IndexQuery, ranking: Ranking, page: RankRequest): RankedPage;
  /** The row id of the track of each id; undefined if the track is not live or does not match. */
  locate(ids: readonly string[], query: IndexQuery): (number | undefined)[];
  /**
   * The names of at most `limit` tracks that complete a text. They are the tracks that a search for the text
   * finds, in its order, without those that have the text only inside a word or with a typo. Names with the
   * same folded form count once, in the spelling of their first track; for a text without letters or digits,
   * this holds for equal names. With `aliases`, translated names count, too: a track that has the text only in one of
   * them is completed by it.
   */
  suggest(text: string, limit: number, aliases?: boolean): string[];
  /**
   * The tracks that are most similar to a live track, best first; undefined if it is not live. The order is
   * total. The first call after a start may wait while tracks are grouped by their filters. Rejects with a `conflict` if
   * sounds are to be compared and that of the track is unknown.
   */
  similar(query: SimilarQuery, compared: ComparedFilters): Promise<SimilarTrack[] | undefined>;
  /** The tracks that sound most like an example, best first. The order is total. */
  soundingLike(query: ExampleQuery, compared: ComparedFilters): SimilarTrack[];
  /** The number of live tracks of each filter. Filters without live tracks may be absent. */
  filterCounts(): ReadonlyMap<string, number>;
  /**
   * The artists or tags that are in a text, in any order. Equal search forms count as one value, in the spelling that
   * most tracks have. Values of up to eight words are found.
   * @param text for each word, in search form, its spellings, the written one first; the others count only at the end of
   *   a value. A word without spellings is in no value.
   */
  valuesInText(field: ValueFieldName, text: readonly (readonly string[])[]): ValueInText[];
  /** The tags that most tracks have, most tracks first; equal search forms count as one. Takes some milliseconds. */
  commonTags(limit: number): FieldValue[];
  /**
   * Adds or replaces tracks, and removes others. All changes become visible together, when the promise
   * resolves. Pauses for the event loop between steps, so that queries continue. `seq` is the position in the
   * change log that the index has reached then.
   */
  apply(upserts: readonly IndexEntry[], removedIds: readonly string[], seq: number): Promise<void>;
  /**
   * Applies all changes that the change log has after those that the index contains, and returns the position
   * that it has reached then. Many changes are prepared outside of this thread. `willChange` is called with
   * row ids, once or several times, until it has been given all tracks whose changes then become visible.
   */
  catchUp(willChange: WillChange): Promise<number>;
  /**
   * Hides tracks at once, before `apply` brings the changes that remove them. `seq` is the change that
   * removes them. They stay hidden until an `apply` of that `seq` or a later one.
   */
  hide(ids: readonly string[], seq: number): void;
  /**
   * Adds or replaces a few tracks at once, before `apply` brings the changes that restore them. They are shown as given
   * until an `apply` of their `seq` or a later one, unless they are hidden before.
   */
  show(tracks: readonly RestoredTrack[]): void;
  /**
   * Replaces the popularity of this name: how often each track was licensed, by id. Missing tracks count 0.
   * Resolves when `popular` uses it.
   */
  setPopularity(name: string, counts: ReadonlyMap<string, number>): Promise<void>;
  /** The number of live tracks. */
  readonly size: number;
}

/** An index that contains all changes of tracks up to `seq`. */
export interface LoadedIndex {
  index: CatalogIndex;
  seq: number;
}

export interface IndexSource {
  /** Opens an index for a start: from the last snapshot if it is valid, otherwise by building one. */
  open(): Promise<LoadedIndex>;
  /**
   * Builds an index from the store while another one is in use. It contains at least all changes up to
   * `notBefore`. It may be an index that was built for another caller.
   */
  build(notBefore: number): Promise<LoadedIndex>;
}

/** The ids of the filters that similar tracks are compared by. Other filters do not count. */
export interface ComparedFilters {
  genres: ReadonlySet<string>;
  moods: ReadonlySet<string>;
}

/** What tracks are compared by: by `both`, by the mean of their ranks by metadata and by sound. */
export const SIMILAR_BY = ['metadata', 'sound', 'both'] as const;
type SimilarBy = (typeof SIMILAR_BY)[number];

/** A query for the tracks that are most similar to one track, the seed (docs/contract/similar.md). */
export interface SimilarQuery {
  /** The id of the seed, in lower case. */
  id: string;
  /** Default: `metadata`. */
  by?: SimilarBy;
  limit: number;
  /** The distance in beats per minute from which two tempos have nothing in common. */
  bpmRange: number;
  /** Default: the type of the seed. */
  type?: TrackType;
  hasVocals?: boolean;
  /** A track must have all of these filters; lower-case UUIDs without repetitions. */
  filterIds?: readonly string[];
}

/** A query for the tracks that sound most like audio that is no track. */
export interface ExampleQuery extends Omit<SimilarQuery, 'id' | 'by'> {
  example: Pick<IndexEntry, 'bpm' | 'songKeys'> & { sound: Uint8Array };
}

/** A similar track, and what it has in common with the seed. Numbers are 0 to 1, with four decimals. */
export interface SimilarTrack {
  rowId: number;
  id: string;
  score: number;
  /** Null if the seed has no genre. */
  genre: number | null;
  /** Null if the seed has no mood. */
  mood: number | null;
  /** Null if the tempo of the seed is unknown. */
  bpm: number | null;
  /** Null unless sounds are compared, or if that of the track is unknown. */
  sound: number | null;
  /** Whether they have a key in common. */
  key: boolean;
  /** Whether both have vocals, or both have none. */
  hasVocals: boolean;
  /** The genres and moods that they have in common. */
  sharedFilterIds: readonly string[];
}

export type TrackType = 'music' | 'sfx';
