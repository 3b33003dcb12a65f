import { COUNTRIES, minorUnitOf } from '../../common/codes.ts';
import { OperatorError } from '../../common/errors.ts';
import { didYouMean } from '../../common/text/explain.ts';
import { isObject, jsonProblem, scanMembers, shownPath } from '../../common/text/json.ts';
import { RATE_CARD_NAME } from '../access/client.ts';
import { TRACK_TYPES } from '../catalog/track-values.ts';
import { maxQuoteAmount, parseFactor } from './price.ts';
import type { RateCard, TerritoryGroup } from './rate-card.ts';
import { monthsOf } from './rate-card.ts';

type PlainMember =
  | 'name'
  | 'currency'
  | 'termsVersion'
  | 'termsUrl'
  | 'quoteDays'
  | 'minimumMinor'
  | 'base';

/** A rate card as it is published. */
interface StoredCard extends Pick<RateCard, PlainMember> {
  media: Record<string, string>;
  mediaCap?: string;
  territories: { code: string; countries?: string[]; factor: string }[];
  terms: Record<string, string>;
  audience?: { upTo: number | null; factor: string }[];
  exclusive?: string;
  surcharges?: { filterSlug: string; factor: string }[];
  volume?: { from: number; factor: string }[];
  parts?: boolean;
}

const REQUIRED =
  'name currency termsVersion termsUrl quoteDays minimumMinor base media territories terms'.split(
    ' ',
  );
const OPTIONAL = ['mediaCap', 'audience', 'exclusive', 'surcharges', 'volume', 'parts'];

const MEDIUM = /^[a-z][a-z0-9_-]{0,49}$/;
const GROUP = /^[A-Z0-9][A-Z0-9_-]{0,49}$/;
const FILTER_SLUG = /^[a-z0-9-]{1,200}$/;
/** The most entries of one list of a card. */
const MAX_ENTRIES = 500;

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads a rate card that is to be published (docs/contract/licensing.md#rate-card-files). Throws OperatorError with the
 * first problem.
 *
 * @param text JSON
 */
export function parseRateCard(text: string): RateCard {
  const given = parseOperatorJson(text, 'the rate card');
  requireCard(given);
  const card = cardOf(given);
  if (maxQuoteAmount(card) > BigInt(Number.MAX_SAFE_INTEGER)) {
    refuse('', 'a quote of 100 of the dearest items could exceed 2^53 - 1 minor units');
  }
  return card;
}

/**
 * Reads a card that was checked when it was published. The rules of `parseRateCard` are not applied again, because a
 * version with stricter ones must price by the cards of earlier versions. Throws OperatorError for a member that this
 * version does not know, because a newer one may price by it, and for what has no price.
 *
 * @param document JSON
 */
export function readStoredCard(document: string): RateCard {
  return reading(() => cardOf(JSON.parse(document)));
}

/** Reads only the groups of countries of a stored card, also if a newer version has published it. */
export function groupsOfStoredCard(document: string): readonly TerritoryGroup[] {
  return reading(() => groups((JSON.parse(document) as StoredCard).territories));
}

/** Reads only the currency of a stored card, also if a newer version has published it. */
export function currencyOfStoredCard(document: string): string {
  return reading(() => (JSON.parse(document) as StoredCard).currency);
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, ' ').slice(0, 200);
    throw new OperatorError(`the stored rate card cannot be read: ${reason}`, { cause: error });
  }
}

/** Converts a card. Throws an Error for a member that is unknown, and for what has no price. */
function cardOf(value: StoredCard): RateCard {
  const card = known(value, [...REQUIRED, ...OPTIONAL]);
  const minorUnit = minorUnitOf(card.currency);
  if (minorUnit === undefined) throw new Error(`the currency ${card.currency} is unknown`);
  return {
    name: card.name,
    currency: card.currency,
    minorUnit,
    termsVersion: card.termsVersion,
    termsUrl: card.termsUrl,
    quoteDays: integer(card.quoteDays),
    minimumMinor: integer(card.minimumMinor),
    base: baseOf(card.base),
    media: factors(card.media),
    mediaCap: card.mediaCap === undefined ? null : factor(card.mediaCap),
    territories: groups(
      card.territories.map((group) => known(group, ['code', 'countries', 'factor'])),
    ),
    terms: factors(card.terms),
    audience: (card.audience ?? []).map((step) => ({
      upTo: step.upTo === null ? null : integer(step.upTo),
      factor: factor(known(step, ['upTo', 'factor']).factor),
    })),
    exclusive: card.exclusive === undefined ? null : factor(card.exclusive),
    surcharges: (card.surcharges ?? []).map((one) => ({
      filterSlug: one.filterSlug,
      factor: factor(known(one, ['filterSlug', 'factor']).factor),
    })),
    volume: (card.volume ?? []).map((step) => ({
      from: integer(step.from),
      factor: factor(known(step, ['from', 'factor']).factor),
    })),
    parts: card.parts ?? false,
  };
}

/** Throws if an object has other members. */
function known<T extends object>(value: T, names: readonly string[]): T {
  const other = Object.keys(value).find((name) => !names.includes(name));
  if (other === undefined) return value;
  throw new Error(`this version of Stave does not know the member ${other.slice(0, 100)}`);
}

function integer(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is no whole number`);
  return value;
}

function factor(text: string): bigint {
  const parsed = parseFactor(text);
  if (parsed === undefined) throw new Error(`${text} is no factor`);
  return parsed;
}

function factors(members: Record<string, string>): ReadonlyMap<string, bigint> {
  return new Map(Object.entries(members).map(([code, text]) => [code, factor(text)]));
}

function baseOf(base: StoredCard['base']): RateCard['base'] {
  return Object.fromEntries(
    Object.entries(known(base, TRACK_TYPES)).map(([type, amount]) => [type, integer(amount)]),
  );
}

function groups(territories: StoredCard['territories']): TerritoryGroup[] {
  return territories.map(({ code, countries, factor: text }) => ({
    code,
    countries: countries === undefined ? null : new Set(countries),
    factor: factor(text),
  }));
}

/** Throws OperatorError with the first problem of a card. */
function requireCard(value: unknown): asserts value is StoredCard {
  const card = membersOf(value, '', REQUIRED, OPTIONAL);
  if (minorUnitOf(textOf(card.currency, 'currency', 3)) === undefined) {
    refuse('currency', 'must be a currency code of ISO 4217');
  }
  if (!RATE_CARD_NAME.test(textOf(card.name, 'name', 100))) {
    refuse('name', 'must have only a to z, 0 to 9, ".", "_" and "-"');
  }
  textOf(card.termsVersion, 'termsVersion', 100);
  const url = textOf(card.termsUrl, 'termsUrl', 2_000);
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    refuse('termsUrl', 'must be a URL that begins with https:// or http://');
  }
  requireInteger(card.quoteDays, 'quoteDays', 1, 365);
  requireInteger(card.minimumMinor, 'minimumMinor', 0);
  const base = membersOf(card.base, 'base', [], TRACK_TYPES);
  const types = TRACK_TYPES.filter((type) => base[type] !== undefined);
  if (types.length === 0) refuse('base', `must have ${TRACK_TYPES.join(' or ')}`);
  for (const type of types) requireInteger(base[type], `base.${type}`, 0);
  requireFactors(card.media, 'media', (code) =>
    MEDIUM.test(code)
      ? undefined
      : 'must have only a to z, 0 to 9, _ and -, and begin with a letter',
  );
  if (card.mediaCap !== undefined) requireFactor(card.mediaCap, 'mediaCap');
  requireTerritories(card.territories);
  requireFactors(card.terms, 'terms', (term) =>
    monthsOf(term) === undefined
      ? 'must be P<n>M, P<n>Y or PERPETUAL, and at most 100 years'
      : undefined,
  );
  requireAudience(card.audience);
  if (card.exclusive !== undefined) requireFactor(card.exclusive, 'exclusive');
  requireSurcharges(card.surcharges);
  requireVolume(card.volume);
  if (card.parts !== undefined && typeof card.parts !== 'boolean') {
    refuse('parts', 'must be true or false');
  }
}

function refuse(field: string, problem: string): never {
  throw new OperatorError(`the rate card is refused: ${field && `${field} `}${problem}`);
}

function membersOf(
  value: unknown,
  field: string,
  required: readonly string[],
  optional: readonly string[] = [],
): Members {
  if (!isObject(value)) {
    refuse(field, field === '' ? 'it must be a JSON object' : 'must be a JSON object');
  }
  const members = value as Members;
  const within = (name: string) => (field === '' ? name : `${field}.${name}`);
  const known = [...required, ...optional];
  for (const name of Object.keys(members)) {
    if (known.includes(name)) continue;
    refuse(within(name.slice(0, 100)), `is unknown${didYouMean(name, known)}`);
  }
  for (const name of required) {
    if (members[name] === undefined) refuse(within(name), 'is missing');
  }
  return members;
}

function textOf(value: unknown, field: string, most: number): string {
  if (typeof value !== 'string' || !/\S/.test(value) || value.length > most) {
    refuse(field, `must be a text of 1 to ${most} characters`);
  }
  if (/\p{Cc}/u.test(value as string)) refuse(field, 'must have no control characters');
  return value as string;
}

function requireInteger(
  value: unknown,
  field: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): asserts value is number {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) {
    refuse(field, `must be a whole number from ${least} to ${most}`);
  }
}

function requireFactor(value: unknown, field: string): void {
  if (typeof value === 'string' && parseFactor(value) !== undefined) return;
  refuse(
    field,
    'must be a decimal in quotes, such as "1.5", with up to six digits and four decimals',
  );
}

function requireFactors(
  value: unknown,
  field: string,
  problemOf: (code: string) => string | undefined,
): void {
  const codes = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const members = membersOf(value, field, [], codes);
  if (codes.length === 0 || codes.length > MAX_ENTRIES) {
    refuse(field, `must have 1 to ${MAX_ENTRIES} members`);
  }
  for (const code of codes) {
    const problem = problemOf(code);
    if (problem !== undefined) refuse(`${field}.${code.slice(0, 100)}`, problem);
    requireFactor(members[code], `${field}.${code}`);
  }
}

/** Returns an optional list; an absent one is empty. */
function optionalList(value: unknown, field: string): readonly unknown[] {
  return Array.isArray(value) && value.length === 0 ? [] : listOf(value, field);
}

/** Returns a list of one entry at least, because one without entries has no meaning; an absent one is empty. */
function listOf(value: unknown, field: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ENTRIES) {
    refuse(field, `must be a list of 1 to ${MAX_ENTRIES}`);
  }
  return value as unknown[];
}

function requireTerritories(value: unknown): void {
  const codes = listOf(value, 'territories').map((one, i) => {
    const field = `territories[${i}]`;
    const { countries, factor, ...group } = membersOf(
      one,
      field,
      ['code', 'factor'],
      ['countries'],
    );
    const code = textOf(group.code, `${field}.code`, 50);
    if (!GROUP.test(code)) refuse(`${field}.code`, 'must have only A to Z, 0 to 9, _ and -');
    if (code === 'WORLD' && countries !== undefined) {
      refuse(`${field}.countries`, 'must be absent: WORLD contains every country');
    }
    const listed = listOf(countries, `${field}.countries`).map((country, place) => {
      if (typeof country === 'string' && COUNTRIES.includes(country)) return country;
      return refuse(
        `${field}.countries[${place}]`,
        'must be a country code of ISO 3166-1 in upper case',
      );
    });
    refuseRepeated(listed, (place) => `${field}.countries[${place}]`);
    if (COUNTRIES.includes(code) && !(listed.length === 1 && listed[0] === code)) {
      refuse(`${field}.countries`, `must be ["${code}"]: the code of a country contains only it`);
    }
    requireFactor(factor, `${field}.factor`);
    return code;
  });
  refuseRepeated(codes, (i) => `territories[${i}].code`);
}

function refuseRepeated(values: readonly string[], fieldOf: (place: number) => string): void {
  const place = values.findIndex((value, i) => values.indexOf(value) < i);
  if (place >= 0) refuse(fieldOf(place), `repeats ${values[place]}`);
}

function requireAudience(value: unknown): void {
  const steps = optionalList(value, 'audience');
  let before = -1;
  for (const [i, one] of steps.entries()) {
    const field = `audience[${i}]`;
    const { upTo, factor } = membersOf(one, field, ['upTo', 'factor']);
    requireFactor(factor, `${field}.factor`);
    if (upTo !== null) requireInteger(upTo, `${field}.upTo`, 0);
    const isLast = i === steps.length - 1;
    if (isLast !== (upTo === null)) {
      refuse(`${field}.upTo`, 'must be null in the last step, and only there');
    }
    if (upTo === null) continue;
    if (upTo <= before) refuse(`${field}.upTo`, 'must be greater than in the step before');
    before = upTo;
  }
}

function requireSurcharges(value: unknown): void {
  const slugs = optionalList(value, 'surcharges').map((one, i) => {
    const field = `surcharges[${i}]`;
    const { filterSlug, factor } = membersOf(one, field, ['filterSlug', 'factor']);
    if (typeof filterSlug !== 'string' || !FILTER_SLUG.test(filterSlug)) {
      return refuse(`${field}.filterSlug`, 'must be the slug of a filter');
    }
    requireFactor(factor, `${field}.factor`);
    return filterSlug;
  });
  refuseRepeated(slugs, (i) => `surcharges[${i}].filterSlug`);
}

function requireVolume(value: unknown): void {
  let before = 0;
  for (const [i, one] of optionalList(value, 'volume').entries()) {
    const field = `volume[${i}]`;
    const { from, factor } = membersOf(one, field, ['from', 'factor']);
    requireInteger(from, `${field}.from`, 1);
    requireFactor(factor, `${field}.factor`);
    if (from <= before) refuse(`${field}.from`, 'must be greater than in the step before');
    before = from;
  }
}

/**
 * Parses a file of the operator. Throws OperatorError if it is not JSON, or repeats a member (JSON.parse takes the last
 * one).
 *
 * @param what the file is, such as `the rate card`
 */
export function parseOperatorJson(text: string, what: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new OperatorError(`${what} is not JSON: ${jsonProblem(text, error)}`);
  }
  scanMembers(text, Number.POSITIVE_INFINITY, (_, isRepeated, path) => {
    if (!isRepeated) return;
    const field = shownPath(path, (name) => name.slice(0, 100));
    throw new OperatorError(`${what} is refused: ${field} must be given once`);
  });
  return value;
}
