import { PARENT } from '../explain/members.ts';

/** Words before the name of a member that only say what the record is: `track_title`, `songLength`. */
const GENERIC = new Set(
  'track song recording item cue asset audio music primary main original display release full the'.split(
    ' ',
  ),
);
/** Words before a name that say that it belongs to something else: `artist_name`. */
const OTHERS = new Set(
  'artist composer writer author label publisher genre user license licence uploader image file'.split(
    ' ',
  ),
);
/** The score of a name that is a synonym itself. */
const EXACT = 1000;
/** The lowest score of a name that does not speak of something else, such as an album. */
export const CLEAR = 400;

/** Reduces a name to its letters and digits in lower case. */
function reduced(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the words of a name: `trackTitle (EN)` has `track`, `Title` and `EN`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Returns the last name of a path. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/**
 * Rates how much the name of a member means the same as one of the synonyms, of which the first
 * ones are the best; 0 if it does not.
 */
export function nameScore(path: string, synonyms: readonly string[]): number {
  const isParent = path.startsWith(PARENT);
  const own = isParent ? path.slice(PARENT.length) : path;
  const name = lastName(own);
  const depth = own.split('.').length - 1;
  const nesting = depth * 40 + (isParent ? 300 : 0);
  const score = (word: string, from: number) => {
    const at = synonyms.indexOf(word);
    return at < 0 ? 0 : Math.max(1, from - at - nesting);
  };
  const whole = synonyms.indexOf(reduced(own));
  if (whole >= 0) {
    return EXACT - whole - (isParent ? 300 : 0);
  }
  const direct = score(reduced(name), EXACT) || score(reduced(name.replace(/\(.*?\)/g, '')), 900);
  if (direct > 0) {
    return direct;
  }
  const words = wordsOf(name.replace(/\(.*?\)/g, ''));
  for (let from = 1; from < words.length; from++) {
    const before = words.slice(0, from).map((word) => word.toLowerCase());
    const isGeneric = before.every((word) => GENERIC.has(word));
    const isOther = before.some((word) => OTHERS.has(word));
    const rest = score(reduced(words.slice(from).join('')), isGeneric ? 800 : isOther ? 50 : 200);
    if (rest > 0) {
      return rest;
    }
  }
  return 0;
}
