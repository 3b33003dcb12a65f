import { COUNTRIES } from '../../../common/codes.ts';
import { MAX_TERRITORIES } from '../../availability/availability.ts';
import { describe } from '../record.ts';
import words from './territory-words.json' with { type: 'json' };

export interface Territories {
  /** ISO 3166-1 alpha-2; null for the whole world. */
  included: readonly string[] | null;
  excluded: readonly string[];
}

/** Why words are not understood: a sentence without its subject, the member. */
export interface NotUnderstood {
  problem: string;
}

export const COUNTRY_CODES: ReadonlySet<string> = new Set(COUNTRIES);

/** Longer than 300 names of territories. */
const MAX_LENGTH = 20_000;

const WORLD_WORDS: ReadonlySet<string> = new Set(words.world);
/** Which countries these are depends on other deals. */
const REST_WORDS: ReadonlySet<string> = new Set(words.restOfWorld);

/** The words after which excluded territories follow, with what may precede them. */
const EXCLUDING =
  /(?:^|[\s,;|(–—-])(?:(?:excl|ex)\.|(?:excluding|excl|except(?:ing)?(?:\s+for)?|without|ex)(?=$|[\s,;|:-]))/gi;
/** The first words of an English phrase in upper case (`NO US`), which are codes, too. */
const PHRASE_STARTS: readonly string[] = ['NO', 'IN'];

/**
 * Reads the territories of one or more texts: codes, English names of countries, a word for the world, or this word
 * and `excluding` with others. Commas, semicolons, slashes and vertical bars separate them, and so do spaces between
 * codes in upper case. Anything else is not understood, so that a track is never available in more territories than
 * the supplier wrote.
 */
export function readTerritories(texts: readonly string[]): Territories | NotUnderstood {
  const text = texts.join(',').replace(/\s+/g, ' ').trim();
  if (text.length > MAX_LENGTH) {
    return { problem: `must have ${MAX_LENGTH} characters at most; it has ${text.length}` };
  }
  const [exclusion, another] = text.matchAll(EXCLUDING);
  if (exclusion === undefined) {
    return readIncluded(text);
  }
  if (another !== undefined) {
    return { problem: `says more than once what it excludes; it is ${describe(text)}` };
  }
  const isInParentheses = exclusion[0].startsWith('(');
  const after = text.slice(exclusion.index + exclusion[0].length);
  if (isInParentheses && !after.endsWith(')')) {
    return { problem: `has text after the excluded territories; it is ${describe(text)}` };
  }
  const included = listOf(
    text
      .slice(0, exclusion.index)
      .trim()
      .replace(/[:–—-]$/, ''),
  );
  if ('problem' in included) {
    return included;
  }
  if (!included.isWorld || included.codes.length > 0) {
    const rule = 'can exclude territories only from the world, as `World excluding US` does';
    return { problem: `${rule}; it is ${describe(text)}` };
  }
  const list = (isInParentheses ? after.slice(0, -1) : after).replace(/^[\s,;|:–—-]+/, '');
  const excluded = listOf(list);
  if ('problem' in excluded) {
    return excluded;
  }
  if (excluded.isWorld || excluded.codes.length === 0) {
    return { problem: `must name the countries that it excludes; it is ${describe(text)}` };
  }
  return { included: null, excluded: excluded.codes };
}

/** Reads territories that are excluded; `none` stands for no territory. */
export function readExcludedTerritories(
  texts: readonly string[],
): readonly string[] | NotUnderstood {
  const text = texts.join(',').trim();
  if (text.toLowerCase() === 'none') {
    return [];
  }
  const read = readTerritories(texts);
  if ('problem' in read) {
    return read;
  }
  const rule = 'must name the countries that it excludes';
  return read.included ?? { problem: `${rule}; it is ${describe(text)}` };
}

function readIncluded(text: string): Territories | NotUnderstood {
  const list = listOf(text.replace(/^only\s+|\s+only$/i, ''));
  if ('problem' in list) {
    return list;
  }
  const { isWorld, codes } = list;
  if (isWorld && codes.length > 0) {
    const advice = 'write `World excluding …`, or only the countries';
    return { problem: `names the world and single countries; ${advice}; it is ${describe(text)}` };
  }
  return { included: isWorld ? null : codes, excluded: [] };
}

interface List {
  isWorld: boolean;
  /** In the order of the text, without repetitions. */
  codes: string[];
}

function listOf(text: string): List | NotUnderstood {
  const parts = text
    .split(/[,;|]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length > MAX_TERRITORIES) {
    return { problem: `must list ${MAX_TERRITORIES} at most; it lists ${parts.length}` };
  }
  const codes = new Set<string>();
  for (const part of parts) {
    const found = codesOf(part);
    if (found === undefined) {
      return notUnderstood(part);
    }
    for (const code of found) {
      codes.add(code);
    }
  }
  const isWorld = codes.delete('');
  return { isWorld, codes: [...codes] };
}

function notUnderstood(part: string): NotUnderstood {
  if (REST_WORDS.has(foldedName(part))) {
    const advice = 'name the countries, or write `World excluding …`';
    return { problem: `must not name the rest of the world; ${advice}; it has ${describe(part)}` };
  }
  const rule = 'must name countries by their codes of ISO 3166-1 alpha-2 or their English names';
  return { problem: `${rule}, or the world; it has ${describe(part)}` };
}

/** Returns the codes of a part of a list, `''` for the world; undefined if it is not understood. */
function codesOf(part: string): string[] | undefined {
  const whole = codeOf(part);
  if (whole !== undefined) {
    return [whole];
  }
  const pieces = part.split(/\s+/);
  if (pieces.every((piece) => /^[A-Z]{2}$/.test(piece) && COUNTRY_CODES.has(piece))) {
    return PHRASE_STARTS.includes(pieces[0]!) ? undefined : pieces;
  }
  const joined = part.split(/\s*[/+&]\s*|\s+and\s+/i).map(codeOf);
  return joined.every((code) => code !== undefined) ? joined : undefined;
}

/** Returns the code of a code or name of a country, `''` for the world; undefined for other texts. */
function codeOf(text: string): string | undefined {
  // Any other sign, as in `-US` or `Germany*`, may change the meaning.
  if (!/^\p{L}[\p{L}\p{M}\s.'’&()-]*$/u.test(text)) {
    return undefined;
  }
  const name = text.replace(/^the\s+/i, '');
  const code = name.toUpperCase();
  if (code.length === 2 && COUNTRY_CODES.has(code)) {
    return code;
  }
  return WORLD_WORDS.has(foldedName(name)) ? '' : countryNamed(name);
}

/** Further English names, which are not the first choice of Unicode. Names of several countries (`Congo`) are not here. */
const FURTHER_NAMES: Readonly<Record<string, string>> = words.countries;

/** The codes by folded name; made when a name is first looked up, because few imports have any. */
let codes: ReadonlyMap<string, string> | undefined;

function countryNamed(name: string): string | undefined {
  codes ??= codesByName();
  return codes.get(foldedName(name));
}

function codesByName(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const found = new Map<string, string>();
  for (const code of COUNTRIES) {
    for (const name of [names.of(code) ?? '', ...(FURTHER_NAMES[code] ?? '').split('|')]) {
      found.set(foldedName(name), code);
    }
  }
  found.delete('');
  return found;
}

/** Returns the words of a name in lower case, without accents, signs and a leading article. */
function foldedName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/^the /, '')
    .replace(/\bsaint\b/g, 'st');
}
