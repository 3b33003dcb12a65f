import { searchForm } from '../../common/text/search-form.ts';
import { BriefReader } from './brief-reader.ts';

/** The greatest number of concepts of a brief. What comes after them is ignored. */
const MAX_CONCEPTS = 50;

/** The greatest number of phrases that are compared by meaning. */
const MAX_PHRASES = 20;

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
  /** Whether only a synonym names it. */
  isSynonym: boolean;
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

/** Understands a brief by rules and a vocabulary. The time grows with the length of the brief. */
export function understand(
  brief: string,
  vocabulary: Vocabulary,
  { now, ignore = [] }: UnderstandOptions,
): UnderstoodBrief {
  const { understood, negatedUnknown, phrases } = new BriefReader(brief, vocabulary, now).read();
  const left = new Set(ignore.map(searchForm));
  const isLeft = (text: string) => left.has(searchForm(text));
  const { consistent, contradicting } = checked(understood.filter(({ text }) => !isLeft(text)));
  const tooMany = consistent.slice(MAX_CONCEPTS);
  const texts = [...contradicting, ...tooMany].map(({ text }) => text);
  return {
    understood: consistent.slice(0, MAX_CONCEPTS),
    ignored: [...new Set([...phrases, ...negatedUnknown, ...texts])],
    phrases: phrases.filter((text) => !isLeft(text)).slice(0, MAX_PHRASES),
  };
}

/** Leaves out what repeats an earlier part, and separates hard parts that no track can meet together with earlier ones. */
function checked(parts: readonly Understood[]) {
  const consistent: Understood[] = [];
  const contradicting: Understood[] = [];
  const seen = new Set<string>();
  const ranges = new Map<UnderstoodKind, { min: Bound; max: Bound }>();
  for (const part of parts) {
    const { kind, value, min, max, hard, meaning } = part;
    const ids = meaning.filters.map(({ id }) => id);
    const same = JSON.stringify([kind, value, min, max, ids, meaning.tags, meaning.artists]);
    if (seen.has(same)) continue;
    seen.add(same);
    if (hard && kind !== 'not') {
      const range = ranges.get(kind);
      // A value is a range from itself to itself.
      const least = greater(range?.min, min ?? value);
      const most = lesser(range?.max, max ?? value);
      if (least !== undefined && most !== undefined && least > most) {
        contradicting.push(part);
        continue;
      }
      ranges.set(kind, { min: least, max: most });
    }
    consistent.push(part);
  }
  return { consistent, contradicting };
}

type Bound = number | string | undefined;

function greater(one: Bound, other: Bound): Bound {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}

function lesser(one: Bound, other: Bound): Bound {
  return one === undefined || (other !== undefined && other < one) ? other : one;
}
