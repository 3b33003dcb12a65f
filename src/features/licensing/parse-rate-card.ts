import { COUNTRIES, minorUnitOf } from '../../common/codes.ts';
import { OperatorError } from '../../common/errors.ts';
import { nearest } from '../../common/text/explain.ts';
import { RATE_CARD_NAME } from '../access/client.ts';
import { TRACK_TYPES } from '../catalog/track-fields.ts';
import { parseOperatorJson } from './operator-json.ts';
import { dearestQuote, parseFactor } from './price.ts';
import { monthsOf, type RateCard, type TerritoryGroup } from './rate-card.ts';
import { OPTIONAL_MEMBERS, REQUIRED_MEMBERS } from './stored-rate-card.ts';

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
  const given = membersOf(
    parseOperatorJson(text, 'the rate card'),
    '',
    REQUIRED_MEMBERS,
    OPTIONAL_MEMBERS,
  );
  const currency = textOf(given.currency, 'currency', 3);
  const minorUnit = minorUnitOf(currency);
  if (minorUnit === undefined) refuse('currency', 'must be a currency code of ISO 4217');
  const card: RateCard = {
    name: nameOf(given.name),
    currency,
    minorUnit: minorUnit!,
    termsVersion: textOf(given.termsVersion, 'termsVersion', 100),
    termsUrl: urlOf(given.termsUrl),
    quoteDays: integerOf(given.quoteDays, 'quoteDays', 1, 365),
    minimumMinor: integerOf(given.minimumMinor, 'minimumMinor', 0),
    base: baseOf(given.base),
    media: factorsOf(given.media, 'media', (code) =>
      MEDIUM.test(code)
        ? undefined
        : 'must have only a to z, 0 to 9, _ and -, and begin with a letter',
    ),
    mediaCap: given.mediaCap === undefined ? null : factorOf(given.mediaCap, 'mediaCap'),
    territories: territoriesOf(given.territories),
    terms: factorsOf(given.terms, 'terms', (term) =>
      monthsOf(term) === undefined
        ? 'must be P<n>M, P<n>Y or PERPETUAL, and at most 100 years'
        : undefined,
    ),
    audience: audienceOf(given.audience),
    exclusive: given.exclusive === undefined ? null : factorOf(given.exclusive, 'exclusive'),
    surcharges: surchargesOf(given.surcharges),
    volume: volumeOf(given.volume),
  };
  if (dearestQuote(card) > BigInt(Number.MAX_SAFE_INTEGER)) {
    refuse('', 'a quote of 100 of the dearest items could exceed 2^53 - 1 minor units');
  }
  return card;
}

/** Throws the error of a card. */
function refuse(field: string, problem: string): never {
  throw new OperatorError(`the rate card is refused: ${field && `${field} `}${problem}`);
}

/** Returns an object with exactly these members. */
function membersOf(
  value: unknown,
  field: string,
  required: readonly string[],
  optional: readonly string[] = [],
): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse(field, field === '' ? 'it must be a JSON object' : 'must be a JSON object');
  }
  const members = value as Members;
  const within = (name: string) => (field === '' ? name : `${field}.${name}`);
  const known = [...required, ...optional];
  for (const name of Object.keys(members)) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    refuse(within(name.slice(0, 100)), `is unknown${near ? `; did you mean ${near}?` : ''}`);
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

function nameOf(value: unknown): string {
  const name = textOf(value, 'name', 100);
  if (!RATE_CARD_NAME.test(name)) {
    refuse('name', 'must have only a to z, 0 to 9, ".", "_" and "-"');
  }
  return name;
}

function urlOf(value: unknown): string {
  const text = textOf(value, 'termsUrl', 2_000);
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    refuse('termsUrl', 'must be a URL that begins with https:// or http://');
  }
  return text;
}

function integerOf(
  value: unknown,
  field: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) {
    refuse(field, `must be a whole number from ${least} to ${most}`);
  }
  return value as number;
}

function factorOf(value: unknown, field: string): bigint {
  const factor = typeof value === 'string' ? parseFactor(value) : undefined;
  if (factor === undefined) {
    refuse(
      field,
      'must be a decimal in quotes, such as "1.5", with up to six digits and four decimals',
    );
  }
  return factor!;
}

function baseOf(value: unknown): RateCard['base'] {
  const base = membersOf(value, 'base', [], TRACK_TYPES);
  const types = TRACK_TYPES.filter((type) => base[type] !== undefined);
  if (types.length === 0) refuse('base', `must have ${TRACK_TYPES.join(' or ')}`);
  return Object.fromEntries(types.map((type) => [type, integerOf(base[type], `base.${type}`, 0)]));
}

/** Returns factors by their codes, in the order of the card. */
function factorsOf(
  value: unknown,
  field: string,
  problemOf: (code: string) => string | undefined,
): ReadonlyMap<string, bigint> {
  const codes = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const members = membersOf(value, field, [], codes);
  if (codes.length === 0 || codes.length > MAX_ENTRIES) {
    refuse(field, `must have 1 to ${MAX_ENTRIES} members`);
  }
  return new Map(
    codes.map((code) => {
      const problem = problemOf(code);
      if (problem !== undefined) refuse(`${field}.${code.slice(0, 100)}`, problem);
      return [code, factorOf(members[code], `${field}.${code}`)];
    }),
  );
}

/** Returns a list; an absent one is empty. */
function listOf(value: unknown, field: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ENTRIES) {
    refuse(field, `must be a list of 1 to ${MAX_ENTRIES}`);
  }
  return value as unknown[];
}

function territoriesOf(value: unknown): readonly TerritoryGroup[] {
  const groups = listOf(value, 'territories').map((one, i): TerritoryGroup => {
    const field = `territories[${i}]`;
    const { code, countries, factor } = membersOf(one, field, ['code', 'factor'], ['countries']);
    if (!GROUP.test(textOf(code, `${field}.code`, 50))) {
      refuse(`${field}.code`, 'must have only A to Z, 0 to 9, _ and -');
    }
    if (code === 'WORLD' && countries !== undefined) {
      refuse(`${field}.countries`, 'must be absent: WORLD contains every country');
    }
    const set = countries === undefined ? null : countriesOf(countries, `${field}.countries`);
    if (COUNTRIES.includes(code as string) && !(set?.size === 1 && set.has(code as string))) {
      refuse(`${field}.countries`, `must be ["${code}"]: the code of a country contains only it`);
    }
    return {
      code: code as string,
      countries: set,
      factor: factorOf(factor, `${field}.factor`),
    };
  });
  refuseRepeated(
    groups.map(({ code }) => code),
    (i) => `territories[${i}].code`,
  );
  return groups;
}

function countriesOf(value: unknown, field: string): ReadonlySet<string> {
  const countries = listOf(value, field).map((one, i) => {
    if (typeof one !== 'string' || !COUNTRIES.includes(one)) {
      refuse(`${field}[${i}]`, 'must be a country code of ISO 3166-1 in upper case');
    }
    return one as string;
  });
  refuseRepeated(countries, (i) => `${field}[${i}]`);
  return new Set(countries);
}

function refuseRepeated(values: readonly string[], fieldOf: (place: number) => string): void {
  const place = values.findIndex((value, i) => values.indexOf(value) < i);
  if (place >= 0) refuse(fieldOf(place), `repeats ${values[place]}`);
}

function audienceOf(value: unknown): RateCard['audience'] {
  const steps = listOf(value, 'audience').map((one, i) => {
    const field = `audience[${i}]`;
    const { upTo, factor } = membersOf(one, field, ['upTo', 'factor']);
    return {
      upTo: upTo === null ? null : integerOf(upTo, `${field}.upTo`, 0),
      factor: factorOf(factor, `${field}.factor`),
    };
  });
  for (const [i, { upTo }] of steps.entries()) {
    const isLast = i === steps.length - 1;
    const field = `audience[${i}].upTo`;
    if (isLast !== (upTo === null)) refuse(field, 'must be null in the last step, and only there');
    const before = steps[i - 1]?.upTo ?? -1;
    if (upTo !== null && upTo <= before) refuse(field, 'must be greater than in the step before');
  }
  return steps;
}

function surchargesOf(value: unknown): RateCard['surcharges'] {
  const surcharges = listOf(value, 'surcharges').map((one, i) => {
    const field = `surcharges[${i}]`;
    const { filterSlug, factor } = membersOf(one, field, ['filterSlug', 'factor']);
    if (typeof filterSlug !== 'string' || !FILTER_SLUG.test(filterSlug)) {
      refuse(`${field}.filterSlug`, 'must be the slug of a filter');
    }
    return {
      filterSlug: filterSlug as string,
      factor: factorOf(factor, `${field}.factor`),
    };
  });
  refuseRepeated(
    surcharges.map(({ filterSlug }) => filterSlug),
    (i) => `surcharges[${i}].filterSlug`,
  );
  return surcharges;
}

function volumeOf(value: unknown): RateCard['volume'] {
  const steps = listOf(value, 'volume').map((one, i) => {
    const field = `volume[${i}]`;
    const { from, factor } = membersOf(one, field, ['from', 'factor']);
    return {
      from: integerOf(from, `${field}.from`, 1),
      factor: factorOf(factor, `${field}.factor`),
    };
  });
  for (const [i, { from }] of steps.entries()) {
    if (i > 0 && from <= steps[i - 1]!.from) {
      refuse(`volume[${i}].from`, 'must be greater than in the step before');
    }
  }
  return steps;
}
