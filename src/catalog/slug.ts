import anyAscii from 'any-ascii';
import { isUuid } from '../kernel/ids.ts';

/** What has slugs; each kind is its own space of names (decisions §3, Slugs). */
export type SlugKind = 'track' | 'playlist' | 'filter';

/** Path segments of present and coming routes, which no slug may shadow. */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set([
  'changes',
  'snapshot',
  'batch',
  'stream-urls',
]);

/** The longest slug made from a name, in characters; leaves room for a number. */
const MAX_NAME_SLUG_LENGTH = 80;
/** The longest slug of all, in characters, a supplied or numbered one included. */
const MAX_SLUG_LENGTH = 100;

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const ASCII = /^[\0-\x7f]*$/;

/**
 * The name as lower-case ASCII words joined by hyphens, of 80 characters at most, cut between words
 * where it can be; `""` when nothing is left of it. Equal for all Unicode forms of a name. Apostrophes
 * vanish, as in search, all other signs separate words.
 */
export function slugify(name: string): string {
  const ascii = ASCII.test(name) ? name : anyAscii(name.normalize('NFC'));
  const words =
    ascii
      .toLowerCase()
      .replace(/['`]/g, '')
      .match(/[a-z0-9]+/g) ?? [];
  let slug = words[0]?.slice(0, MAX_NAME_SLUG_LENGTH) ?? '';
  for (const word of words.slice(1)) {
    if (slug.length + 1 + word.length > MAX_NAME_SLUG_LENGTH) break;
    slug += `-${word}`;
  }
  return slug;
}

/** Whether the text has the form of a slug; a reserved one has, and is given a number when it is used. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG_LENGTH && SLUG.test(text) && !isUuid(text);
}

/** The slug that a thing of this name asks for, before anybody looks whether it is taken. */
export function slugBase(kind: SlugKind, name: string, id: string): string {
  return slugify(name) || `${kind}-${id.slice(0, 8).toLowerCase()}`;
}

/** The numbered form of a base slug, shortened where it would grow over the bound. */
export function numberedSlug(base: string, number: number): string {
  const suffix = `-${number}`;
  return base.slice(0, MAX_SLUG_LENGTH - suffix.length).replace(/-+$/, '') + suffix;
}

/** A slug that was free, and where the next search in this series begins; undefined: no series. */
export interface ChosenSlug {
  slug: string;
  nextNumber: number | undefined;
}

/**
 * The first free slug for a base: the base itself, else the base with the lowest free number from
 * `firstNumber` on (2 for a new series). Reserved and UUID-shaped ones count as taken. A caller that
 * keeps `nextNumber` for the base asks each number once, so that thousands of one name stay cheap.
 */
export function chooseSlug(
  base: string,
  isTaken: (slug: string) => boolean,
  firstNumber: () => number,
): ChosenSlug {
  if (isAllowed(base) && !isTaken(base)) return { slug: base, nextNumber: undefined };
  for (let number = firstNumber(); ; number++) {
    const slug = numberedSlug(base, number);
    if (isAllowed(slug) && !isTaken(slug)) return { slug, nextNumber: number + 1 };
  }
}

function isAllowed(slug: string): boolean {
  return !RESERVED_SLUGS.has(slug) && !isUuid(slug);
}
