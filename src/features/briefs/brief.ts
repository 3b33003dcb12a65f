import { searchForm } from '../../common/text/search-form.ts';

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
  filters: readonly { id: string; slug: string }[];
  /** Tags as one of the tracks has them; compared by their search form. */
  tags: readonly string[];
  /** Names of artists, likewise. */
  artists: readonly string[];
}

/** The vocabulary of a catalog. All phrases are in search form: words with single spaces between them. */
export interface Vocabulary {
  /** What begins at the first word, the longest first. At most 8 words are read. */
  meanings(
    words: readonly string[],
  ): readonly { length: number; meaning: Meaning; weight: number }[];
  /** The artist whose whole name begins at the first word, with the number of its words. */
  artist(words: readonly string[]): { length: number; name: string } | undefined;
}

/** A part of a brief that is understood. */
export interface Understood {
  /** As the brief has it. */
  text: string;
  kind: UnderstoodKind;
  /** The slug of a filter, the first one of `meaning`. */
  filter?: string;
  tag?: string;
  artist?: string;
  /** Tempo in beats per minute, length in seconds, release as a date (`2021-01-01`, UTC); both ends are included. */
  min?: number | string;
  max?: number | string;
  /**
   * `vocal` or `instrumental`; the type; the key as `A minor`; the word in search form. `instrumental` excludes only
   * tracks with vocals.
   */
  value?: string;
  /** Above 0, at most 1. */
  weight: number;
  /**
   * Whether tracks that do not meet it are excluded. Hard parts never contradict each other. A soft part of the kinds
   * `tempo` and `key` counts for tracks in its range, or with its key.
   */
  hard: boolean;
  /**
   * What a track of a soft part carries, beside the words of `text` in its name, or, for the kind `not`, what it must not
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
  /** Texts of `understood` and phrases to leave out, compared by their search form. */
  ignore?: readonly string[];
}

export const NO_MEANING: Meaning = { filters: [], tags: [], artists: [] };

/** Understands a brief by rules and a vocabulary. Takes a time that grows with its length only. */
export function understand(
  brief: string,
  vocabulary: Vocabulary,
  { ignore = [] }: UnderstandOptions,
): UnderstoodBrief {
  const left = new Set(ignore.map(searchForm));
  const understood: Understood[] = [];
  const ignored: string[] = [];
  for (const part of brief.split(/[,;.\n]/)) {
    const words = part.split(/\s+/).filter((word) => searchForm(word) !== '');
    let unknown: string[] = [];
    const flush = () => {
      if (unknown.length > 0) ignored.push(unknown.join(' '));
      unknown = [];
    };
    for (let i = 0; i < words.length; ) {
      const [found] = vocabulary.meanings(words.slice(i, i + 8).map(searchForm));
      if (found === undefined) {
        unknown.push(words[i]!);
        i++;
        continue;
      }
      flush();
      const { meaning, weight, length } = found;
      const text = words.slice(i, i + length).join(' ');
      const [filter] = meaning.filters;
      understood.push({
        text,
        kind: filter === undefined ? 'tag' : 'filter',
        ...(filter !== undefined && { filter: filter.slug }),
        ...(meaning.tags[0] !== undefined && { tag: meaning.tags[0] }),
        weight,
        hard: false,
        meaning,
      });
      i += length;
    }
    flush();
  }
  const isLeft = (text: string) => left.has(searchForm(text));
  const kept = understood.filter(({ text }) => !isLeft(text)).slice(0, MAX_CONCEPTS);
  return {
    understood: kept,
    ignored,
    phrases: ignored.filter((text) => !isLeft(text)).slice(0, MAX_PHRASES),
  };
}
