import anyAscii from 'any-ascii';
import { isUuid } from '../ids.ts';

/** The things that have slugs. The slugs of each kind are separate (docs/contract/tracks.md#slugs). */
export type SlugKind = 'track' | 'playlist' | 'filter';

/** The path segments of routes, and the slug of a fixture: no slug that is assigned is one of them. */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set([
  'changes',
  'snapshot',
  'batch',
  'stream-urls',
  'stave-fixture',
]);

/** The greatest length of a slug that is made from a name, which leaves room for a number. */
const MAX_NAME_SLUG_LENGTH = 80;
/** The greatest length of any slug, including supplied and numbered ones. */
const MAX_SLUG_LENGTH = 100;

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const ASCII = /^[\0-\x7f]*$/;

/**
 * Converts a name to lower-case ASCII words joined by hyphens, at most 80 characters, cut between words if
 * possible; `""` if nothing remains. All Unicode forms of a name give the same slug. Apostrophes are removed,
 * as in searches; all other symbols separate words.
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

/** Whether the text has the form of a slug. A reserved word has that form, but gets a number when it is used. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG_LENGTH && SLUG.test(text) && !isUuid(text);
}

/** The preferred slug for a name, regardless of whether it is free. */
export function slugBase(kind: SlugKind, name: string, id: string): string {
  return slugify(name) || `${kind}-${id.slice(0, 8).toLowerCase()}`;
}

/** The numbered form of a base slug, whose base is shortened if the result would be too long. */
export function numberedSlug(base: string, number: number): string {
  const suffix = `-${number}`;
  return base.slice(0, MAX_SLUG_LENGTH - suffix.length).replace(/-+$/, '') + suffix;
}

/** A free slug, and the number from which the next search in its series begins; undefined if it has no series. */
export interface ChosenSlug {
  slug: string;
  nextNumber: number | undefined;
}

/**
 * The first free slug for a base: the base itself, or the base with the lowest free number from `firstNumber`
 * on (2 for a new series). Reserved words and UUIDs count as taken. A caller that stores `nextNumber` for the
 * base checks each number once, so that thousands of equal names stay cheap.
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

/** Whether no rule forbids the slug. It may still be taken. */
export function isAllowed(slug: string): boolean {
  return !RESERVED_SLUGS.has(slug) && !isUuid(slug);
}
