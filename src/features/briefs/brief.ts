/** The greatest number of concepts of a brief. What comes after them is ignored. */
export const MAX_CONCEPTS = 50;

/** The greatest number of phrases that are compared by meaning. */
export const MAX_PHRASES = 20;

export const UNDERSTOOD_KINDS = [
  'filter',
  'tag',
  'artist',
  'tempo',
  'length',
  'key',
  'vocals',
  'type',
  'release',
  'word',
  'not',
] as const;
export type UnderstoodKind = (typeof UNDERSTOOD_KINDS)[number];

/**
 * What a phrase names in the catalog. A track carries it if it has any of these. All lists are without repetitions and
 * may be empty.
 */
export interface Meaning {
  filters: readonly { id: string; slug: string; type: string }[];
  /** Tags as one of the tracks has them; compared by their search form. */
  tags: readonly string[];
  /** Names of artists, likewise. */
  artists: readonly string[];
}

/** What `length` words of a text name, from the word `from` on. */
export interface VocabularyMatch {
  from: number;
  length: number;
  meaning: Meaning;
  /** 1 for a name, less for a synonym. */
  weight: number;
}

/** The words of a catalog: its filters, tags and artists, and synonyms of them. */
export interface Vocabulary {
  /**
   * Everything that a text names, in any order: for each place and number of words at most one match of filters and
   * tags, and one of artists.
   * @param words in search form; an empty one is a divider, which no match crosses
   */
  matches(words: readonly string[]): VocabularyMatch[];
}

/** A part of a brief that is understood. */
export interface Understood {
  /** As the brief has it, with the word that negates it. */
  text: string;
  kind: UnderstoodKind;
  /** The slug of the first filter of `meaning`. */
  filter?: string;
  /** The first tag of `meaning`. */
  tag?: string;
  artist?: string;
  /** Tempo in beats per minute, length in seconds, release as a date (`2021-01-01`, UTC); both ends are included. */
  min?: number | string;
  max?: number | string;
  /**
   * `vocal` or `instrumental`; `music` or `sfx`; a key such as `A minor`; a word in search form. `instrumental` excludes
   * only tracks with vocals.
   */
  value?: string;
  /** Above 0, at most 1. */
  weight: number;
  /**
   * Whether tracks that do not meet it are excluded. Hard parts do not contradict each other. A soft tempo or key counts
   * for the tracks in its range, or with the key.
   */
  hard: boolean;
  /**
   * What a track of a soft part carries, beside the words of `text` in its name; of the kind `not`, what no track may
   * carry. Not shown.
   */
  meaning: Meaning;
}

export interface UnderstoodBrief {
  /** In the order of the brief, at most 50. */
  understood: Understood[];
  /** Texts that nothing understood, as the brief has them; `phrases` are among them. */
  ignored: string[];
  /** Texts to compare by meaning, at most 20. */
  phrases: string[];
}

export interface UnderstandOptions {
  /** In milliseconds since the epoch. */
  now: number;
  /** Texts of `understood`, and phrases, to leave out; compared by their search form. */
  ignore?: readonly string[];
}
