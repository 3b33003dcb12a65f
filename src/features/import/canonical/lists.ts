import { COUNTRIES } from '../../../common/codes.ts';
import { didYouMean } from '../../../common/text/explain.ts';
import { parseTime } from '../../../common/time.ts';
import {
  type AvailabilityEntry,
  MAX_ENTRIES,
  MAX_TERRITORIES,
} from '../../availability/availability.ts';
import type { DeliveredFilter, FilterType } from '../../catalog/track.ts';
import { MAX_PARTS, PART_KINDS, type PartList } from '../../catalog/track-parts.ts';
import { FILTER_TYPES } from '../../catalog/track-values.ts';
import { canonicalLanguage, isLanguageTag } from '../../languages/languages.ts';
import { orderedTexts, type TrackText } from '../../languages/translations.ts';
import { describe, type ImportRecord } from '../record.ts';
import { COUNTRY_CODES } from './territory-words.ts';
import {
  canonicalName,
  canonicalText,
  canonicalWords,
  MAX_NAME_LENGTH,
  MAX_WORD_LENGTH,
  type Report,
  trimmed,
} from './text.ts';
import { canonicalDuration } from './values.ts';

const MAX_FILTERS = 100;

/** Returns the filters without duplicates; `"genre:Ambient"` is short for the object. */
export function canonicalFilters(
  given: ImportRecord['filters'],
  report: Report,
): DeliveredFilter[] {
  if (given === undefined || given === null) {
    return [];
  }
  if (given.length > MAX_FILTERS) {
    report('filters', `must list ${MAX_FILTERS} at most; it lists ${given.length}`);
    return [];
  }
  const filters: DeliveredFilter[] = [];
  for (let i = 0; i < given.length; i++) {
    const entry = given[i]!;
    const isShort = typeof entry === 'string';
    const colon = isShort ? entry.indexOf(':') : 0;
    if (isShort && colon < 0) {
      report(`filters[${i}]`, `must be of the form "genre:Ambient"; it is ${describe(entry)}`);
      continue;
    }
    const type = filterType(isShort ? entry.slice(0, colon) : entry.type);
    if (type === undefined) {
      report(
        `filters[${i}].type`,
        `must be one of ${FILTER_TYPES.join(', ')}; it is ${describe(isShort ? entry.slice(0, colon) : entry.type)}`,
      );
      continue;
    }
    const text = isShort ? entry.slice(colon + 1) : entry.name;
    const name = canonicalText(text, `filters[${i}].name`, MAX_WORD_LENGTH, report);
    if (name === '') {
      report(`filters[${i}].name`, 'must not be empty');
      continue;
    }
    if (!filters.some((other) => other.type === type && sameName(other.name, name))) {
      filters.push({ type, name });
    }
  }
  return filters;
}

function sameName(one: string, other: string): boolean {
  return (
    one === other || (one.length === other.length && one.toLowerCase() === other.toLowerCase())
  );
}

function filterType(word: string): FilterType | undefined {
  if (word === 'genre' || word === 'mood' || word === 'use-case') return word;
  const spelled = trimmed(word).toLowerCase();
  return FILTER_TYPES.find((type) => type === spelled.replace(/[\s_]+/g, '-'));
}

/** A part as a record names it. Its audio is not read yet. */
export interface NamedPart {
  kind: string;
  name: string | null;
  /** 0 if it is to be read from the audio. */
  durationSeconds: number;
  /** A path relative to the file, or a key of the media store. */
  audio: string;
}

/** Returns the parts of a list; null if there are too many. */
export function canonicalParts(
  given: NonNullable<ImportRecord[PartList]>,
  list: PartList,
  report: Report,
): readonly NamedPart[] | null {
  if (given.length > MAX_PARTS) {
    report(list, tooManyParts(given.length));
    return null;
  }
  const kinds: readonly string[] = PART_KINDS[list];
  return given.map((part, i): NamedPart => {
    const field = (member: string) => `${list}[${i}].${member}`;
    const kind = trimmed(part.kind ?? '');
    if (!kinds.includes(kind)) {
      const isMissing = (part.kind ?? undefined) === undefined;
      const found = isMissing ? 'it is missing' : `it is ${describe(part.kind)}`;
      report(field('kind'), `must be one of ${kinds.join(', ')}; ${found}`);
    }
    const audio = trimmed(part.audio ?? '');
    if (audio === '') {
      report(field('audio'), 'is missing');
    }
    return {
      kind,
      name: canonicalText(part.name ?? '', field('name'), MAX_NAME_LENGTH, report) || null,
      durationSeconds: canonicalDuration(part.durationSeconds, (_, message) =>
        report(field('durationSeconds'), message),
      ),
      audio,
    };
  });
}

export function tooManyParts(count: number): string {
  return `must list ${MAX_PARTS} at most, stems and versions together; the track would have ${count}`;
}

export const MAX_TAGS = 200;
const MAX_LANGUAGES = 50;

/** Returns the canonical tag; `""` stands for that of the catalog. */
export function canonicalLanguageOf(
  given: NonNullable<ImportRecord['language']>,
  report: Report,
): string | undefined {
  const tag = trimmed(given);
  if (tag === '') {
    return '';
  }
  if (!isLanguageTag(tag)) {
    report('language', `must be a language tag such as de or pt-BR; it is ${describe(given)}`);
  }
  return canonicalLanguage(tag);
}

/** Returns the translations of a record in the order of their languages; undefined if there are too many. */
export function canonicalTranslations(
  given: NonNullable<ImportRecord['translations']>,
  report: Report,
): TrackText[] | undefined {
  const entries = Object.entries(given);
  if (entries.length > MAX_LANGUAGES) {
    report(
      'translations',
      `must have ${MAX_LANGUAGES} languages at most; it has ${entries.length}`,
    );
    return undefined;
  }
  const texts = new Map<string, TrackText>();
  for (const [tag, { name, tags }] of entries) {
    const field = `translations.${describe(tag).slice(1, -1)}`;
    if (!isLanguageTag(tag)) {
      report(
        field,
        `must be under a language tag such as de or pt-BR; it is under ${describe(tag)}`,
      );
      continue;
    }
    const language = canonicalLanguage(tag);
    if (texts.has(language)) {
      report(field, `must be given once; ${language} is given before`);
      continue;
    }
    texts.set(language, {
      language,
      name: canonicalName(name, `${field}.name`, report),
      tags: tags ? canonicalWords(tags, `${field}.tags`, MAX_TAGS, report) : null,
    });
  }
  return orderedTexts([...texts.values()]);
}

/**
 * Returns the availability of a record, without repeated entries and ordered by the beginnings of their periods, so that
 * the order of the delivery is no change; undefined if there are too many.
 */
export function canonicalAvailability(
  given: NonNullable<ImportRecord['availability']>,
  report: Report,
): readonly AvailabilityEntry[] | undefined {
  if (given.length > MAX_ENTRIES) {
    report('availability', `must list ${MAX_ENTRIES} at most; it lists ${given.length}`);
    return undefined;
  }
  const entries = new Map<string, AvailabilityEntry>();
  for (const [i, one] of given.entries()) {
    const entry = canonicalEntry(one, `availability[${i}]`, report);
    entries.set(JSON.stringify(entry), entry);
  }
  return [...entries].sort(byBeginning).map(([, entry]) => entry);
}

type Keyed = readonly [key: string, entry: AvailabilityEntry];

function byBeginning([oneKey, one]: Keyed, [otherKey, other]: Keyed): number {
  const [from, otherFrom] = [one.from ?? -Infinity, other.from ?? -Infinity];
  if (from !== otherFrom) {
    return from < otherFrom ? -1 : 1;
  }
  return oneKey < otherKey ? -1 : 1;
}

const MEMBERS: readonly string[] = ['territories', 'excludedTerritories', 'from', 'until'];

type GivenEntry = NonNullable<ImportRecord['availability']>[number];

function canonicalEntry(given: GivenEntry, field: string, report: Report): AvailabilityEntry {
  // Without a member that is misspelled, the entry would hold in more territories, or for longer.
  const unknown = Object.keys(given).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, MEMBERS);
    report(
      field,
      `must have only the members ${MEMBERS.join(', ')}; it has ${describe(unknown)}${hint}`,
    );
  }
  const territories = codesOf(given.territories, `${field}.territories`, report);
  const excluded = codesOf(given.excludedTerritories, `${field}.excludedTerritories`, report);
  if (territories?.length === 0 && given.territories?.length === 0) {
    report(`${field}.territories`, 'must not be empty; without it, the entry is worldwide');
  }
  const left = (territories ?? COUNTRIES).filter((code) => !excluded?.includes(code));
  if (left.length === 0 && excluded !== undefined && territories?.length !== 0) {
    report(`${field}.excludedTerritories`, 'must leave a territory; it excludes all of the entry');
  }
  const from = momentOf(given.from, `${field}.from`, report);
  const until = momentOf(given.until, `${field}.until`, report);
  if (from !== undefined && until !== undefined && from >= until) {
    const is = `it is ${describe(given.until)}`;
    report(`${field}.until`, `must be later than from, ${describe(given.from)}; ${is}`);
  }
  return {
    ...(territories !== undefined && { territories }),
    ...(excluded !== undefined && excluded.length > 0 && { excludedTerritories: excluded }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  };
}

/** Returns the codes in upper case, ascending and without repetitions; undefined if the list is absent. */
function codesOf(
  given: readonly string[] | null | undefined,
  field: string,
  report: Report,
): string[] | undefined {
  if (given === undefined || given === null) {
    return undefined;
  }
  if (given.length > MAX_TERRITORIES) {
    report(field, `must list ${MAX_TERRITORIES} at most; it lists ${given.length}`);
    return [];
  }
  const codes = given.map((code) => trimmed(code).toUpperCase());
  const wrong = codes.findIndex((code) => !COUNTRY_CODES.has(code));
  if (wrong !== -1) {
    const rule = 'must list country codes of ISO 3166-1 alpha-2 such as DE or US';
    report(field, `${rule}; entry ${wrong + 1} is ${describe(given[wrong])}`);
    return [];
  }
  return [...new Set(codes)].sort();
}

/** Returns milliseconds since the epoch of a date, which means 00:00 UTC, or of a time; undefined for another text. */
export function parseMoment(given: string): number | undefined {
  const text = trimmed(given);
  return parseTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
}

function momentOf(
  given: string | null | undefined,
  field: string,
  report: Report,
): number | undefined {
  if (given === undefined || given === null) {
    return undefined;
  }
  const moment = parseMoment(given);
  if (moment === undefined) {
    const rule = 'must be a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z';
    report(field, `${rule}; it is ${describe(given)}`);
  }
  return moment;
}
