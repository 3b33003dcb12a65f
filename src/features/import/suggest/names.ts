import { foldedName } from '../canonical/text.ts';
import { PARENT } from '../explain/members.ts';
import vocabulary from './names.json' with { type: 'json' };

const words = (text: string): readonly string[] => text.split(' ');

/** Words before the name of a member that only say what the record is: `track_title`, `songLength`. */
const GENERIC = new Set(words(vocabulary.generic));
/** Words before a name that say that it belongs to something else: `artist_name`. */
const OTHERS = new Set(words(vocabulary.others));
/** Words after a name that only say how it is written: `singer_list`. */
const LISTS = new Set(words(vocabulary.lists));

const EXACT = 1000;
/** The lowest score of a name that does not speak of something else, such as an album. */
export const CLEAR = 400;

/** Returns the words of a name: `trackTitle (EN)` has `track`, `Title` and `EN`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Rates how much a name means the same as a synonym, of which the first are the best; 0 if it does not. */
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
  const whole = synonyms.indexOf(foldedName(own));
  if (whole >= 0) {
    return EXACT - whole - (isParent ? 300 : 0);
  }
  const direct =
    score(foldedName(name), EXACT) || score(foldedName(name.replace(/\(.*?\)/g, '')), 900);
  if (direct > 0) {
    return direct;
  }
  const words = wordsOf(name.replace(/\(.*?\)/g, ''));
  if (words.length > 1 && LISTS.has(words.at(-1)!.toLowerCase())) words.pop();
  for (let from = 0; from < words.length; from++) {
    const before = words.slice(0, from).map((word) => word.toLowerCase());
    const isGeneric = before.every((word) => GENERIC.has(word) || synonyms.includes(word));
    const isOther = before.some((word) => OTHERS.has(word));
    const rest = score(
      foldedName(words.slice(from).join('')),
      isGeneric ? 800 : isOther ? 50 : 200,
    );
    if (rest > 0) {
      return rest;
    }
  }
  return 0;
}

/** Returns the members whose name means the same as one of the synonyms, the best one first. */
export function namedMembers<T extends { path: string }>(
  members: readonly T[],
  synonyms: readonly string[],
  weigh = (score: number, _member: T) => score,
): T[] {
  return members
    .map((member) => ({ member, score: nameScore(member.path, synonyms) }))
    .filter(({ score }) => score >= CLEAR)
    .map(({ member, score }) => ({ member, score: weigh(score, member) }))
    .toSorted((one, other) => other.score - one.score)
    .map(({ member }) => member);
}

function wordsByName<Name extends string>(texts: Readonly<Record<Name, string>>) {
  return Object.entries<string>(texts).map(([name, text]) => [name as Name, words(text)] as const);
}

/** Names that suppliers use for a value, without spaces and in lower case. The first ones are the best. */
export const SYNONYMS = Object.fromEntries(wordsByName(vocabulary.synonyms)) as Readonly<
  Record<keyof typeof vocabulary.synonyms, readonly string[]>
>;
export const ROLES = wordsByName(vocabulary.roles).map(
  ([role, names]) =>
    [role, [...names, ...names.flatMap((name) => [`${name}name`, `${name}names`])]] as const,
);
/** Places in a list, such as a chart, which are another track's next week. */
export const POSITIONS = words(vocabulary.positions);
/** Parts of a work, of which each is a track. */
export const PARTS_OF_WORKS = words(vocabulary.partsOfWorks);
export const VERSIONS = words(vocabulary.versions);
export const ALBUMS = words(vocabulary.albums);
export const CREDIT_LISTS = words(vocabulary.creditLists);
export const WORDS = wordsByName(vocabulary.words);
