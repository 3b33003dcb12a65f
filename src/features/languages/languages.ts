import { LRUCache } from 'lru-cache';
import type { LanguageView } from '../../common/caller.ts';

/** The parts of a language tag (RFC 5646 §2.1), in either case. */
const LETTER = '[A-Za-z]';
const ALPHANUMERIC = '[A-Za-z0-9]';
const LANGUAGE = `(${LETTER}{2,3}(-${LETTER}{3}){0,3}|${LETTER}{4,8})`;
const SCRIPT = `(-${LETTER}{4})?`;
const REGION = `(-(${LETTER}{2}|[0-9]{3}))?`;
const VARIANTS = `(-(${ALPHANUMERIC}{5,8}|[0-9]${ALPHANUMERIC}{3}))*`;
const EXTENSIONS = `(-[0-9A-WY-Za-wy-z](-${ALPHANUMERIC}{2,8})+)*`;
const PRIVATE = `[Xx](-${ALPHANUMERIC}{1,8})+`;

/** Registered tags that do not have this form. The other grandfathered tags do. */
const IRREGULAR = [
  'en-GB-oed',
  ...['ami', 'bnn', 'default', 'enochian', 'hak', 'klingon'].map((name) => `i-${name}`),
  ...['lux', 'mingo', 'navajo', 'pwn', 'tao', 'tay', 'tsu'].map((name) => `i-${name}`),
  ...['BE-FR', 'BE-NL', 'CH-DE'].map((name) => `sgn-${name}`),
];

/** The pattern of a well-formed language tag (RFC 5646 §2.2.9), without flags, so that it is in either case. */
export const LANGUAGE_TAG_PATTERN = `^(${LANGUAGE}${SCRIPT}${REGION}${VARIANTS}${EXTENSIONS}(-${PRIVATE})?|${PRIVATE}|${IRREGULAR.map(inEitherCase).join('|')})$`;

/** The greatest length of a language tag. RFC 5646 §4.4.1 recommends at least 35. */
export const MAX_LANGUAGE_TAG_LENGTH = 80;

const LANGUAGE_TAG = new RegExp(LANGUAGE_TAG_PATTERN);

/** A language range (RFC 4647 §2.1), without the wildcard. */
const RANGE = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/;

/** A weight (RFC 9110 §12.4.2). */
const WEIGHT = /^[Qq]=(0(\.[0-9]{0,3})?|1(\.0{0,3})?)$/;

const MAX_RANGES = 50;

/** The number of headers whose language is cached, and the greatest length of such a header. */
const MAX_HEADERS = 1_000;
const MAX_CACHED_LENGTH = 200;

export function isLanguageTag(text: string): boolean {
  return text.length <= MAX_LANGUAGE_TAG_LENGTH && LANGUAGE_TAG.test(text);
}

/**
 * Returns the canonical form of a language tag or range: as `Intl` writes it, or in lower case if `Intl` does not
 * accept it, such as `i-klingon`. Never throws.
 */
export function canonicalLanguage(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0]!;
  } catch {
    return tag.toLowerCase();
  }
}

/**
 * Returns a tag or range, and those that remain when it is shortened from the right, as RFC 4647 §3.4 does: a single
 * letter or digit at the end is removed with the subtag after it. All are in their canonical form, also where `Intl` does
 * not accept the longer one.
 */
export function languageChain(tag: string): string[] {
  const chain: string[] = [];
  for (let subtags = tag.split('-'); subtags.length > 0; ) {
    const canonical = canonicalLanguage(subtags.join('-'));
    chain.push(canonical);
    subtags = canonical.split('-').slice(0, -1);
    if (subtags.at(-1)?.length === 1) subtags.pop();
  }
  return chain;
}

/** Returns the ranges of an `Accept-Language` in the order in which they are tried, without malformed ones. */
export function acceptedRanges(header: string): string[] {
  const ranges: { range: string; weight: number }[] = [];
  for (const element of header.split(',', MAX_RANGES)) {
    const [range = '', weight, ...others] = element.split(';').map((part) => part.trim());
    if (!RANGE.test(range) || others.length > 0) continue;
    if (weight !== undefined && !WEIGHT.test(weight)) continue;
    ranges.push({ range, weight: weight === undefined ? 1 : Number(weight.slice(2)) });
  }
  return ranges
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ range }) => range);
}

/** The languages of the texts of a catalog, among which one is chosen for each response by RFC 4647 §3.4. */
export class Languages {
  /** The language of records that name none. */
  readonly original: string;
  /** The views of the available languages, by the lower-case form of the language. */
  readonly #views: ReadonlyMap<string, LanguageView>;
  readonly #originalView: LanguageView;
  readonly #byHeader = new LRUCache<string, LanguageView>({ max: MAX_HEADERS });

  /** @param available other languages than the original, in their canonical form. */
  constructor(original: string, available: Iterable<string> = []) {
    this.original = original;
    this.#views = new Map(
      [original, ...available].map((language) => {
        const chain = languageChain(language);
        const view = { language, chain, original, contentLanguage: language };
        return [language.toLowerCase(), view];
      }),
    );
    this.#originalView = { language: undefined, chain: [], original, contentLanguage: original };
  }

  /** Returns the view for an `Accept-Language`. Any header is valid. */
  forHeader(header: string | undefined): LanguageView {
    if (header === undefined) return this.#originalView;
    let view = this.#byHeader.get(header);
    if (view === undefined) {
      view = this.#firstOf(acceptedRanges(header));
      if (header.length <= MAX_CACHED_LENGTH) this.#byHeader.set(header, view);
    }
    return view;
  }

  forTag(tag: string): LanguageView {
    return this.#firstOf([tag]);
  }

  /** The languages, that of the catalog first. */
  get tags(): string[] {
    return [...this.#views.values()].map(({ contentLanguage }) => contentLanguage);
  }

  /** Whether a text may be in the language that a tag names, or in a shorter form of it. */
  includes(tag: string): boolean {
    return languageChain(tag).some((one) => this.#views.has(one.toLowerCase()));
  }

  /** Whether these are the same languages. */
  has(languages: readonly string[]): boolean {
    const all = new Set([this.original, ...languages].map((language) => language.toLowerCase()));
    return all.size === this.#views.size && [...all].every((one) => this.#views.has(one));
  }

  #firstOf(ranges: readonly string[]): LanguageView {
    for (const range of ranges) {
      for (const tag of languageChain(range)) {
        const view = this.#views.get(tag.toLowerCase());
        if (view !== undefined) return view;
      }
    }
    return this.#originalView;
  }
}

export interface ShownText<Text> {
  text: Text;
  language: string;
}

/**
 * Returns the text of a field in the language of a view, or in the next shorter form of it; otherwise the original.
 *
 * @param translated returns the translation into a language, if there is one.
 * @param original the original, with its language.
 */
export function shownText<Text>(
  { chain }: LanguageView,
  translated: (language: string) => Text | null | undefined,
  original: ShownText<Text>,
): ShownText<Text> {
  for (const language of chain) {
    const text = translated(language);
    if (text !== undefined && text !== null) return { text, language };
    if (language === original.language) break;
  }
  return original;
}

function inEitherCase(tag: string): string {
  return tag.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);
}
