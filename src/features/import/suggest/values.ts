import { dateReader } from '../canonical/release-date.ts';
import type { Report } from '../canonical/text.ts';
import {
  canonicalBpm,
  canonicalDuration,
  canonicalIsrc,
  canonicalIswc,
  canonicalReleaseDate,
  canonicalSongKeys,
  canonicalTimeSignature,
  flagOf,
  parseDuration,
} from '../canonical/values.ts';
import { parseJson } from '../decode/json-record.ts';
import { parsePythonLiteral, type Repair, repaired } from '../mapping/texts.ts';

type Value = string | number;

function taken(check: (value: never, report: Report) => unknown): (value: Value) => boolean {
  return (value) => {
    let isTaken = true;
    check(value as never, () => {
      isTaken = false;
    });
    return isTaken;
  };
}

function text(test: (value: Value) => boolean): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && test(value);
}

function scalar(test: (value: Value) => boolean): (value: unknown) => boolean {
  return (value) => (typeof value === 'string' || typeof value === 'number') && test(value);
}

const isClock = text((value) => parseDuration(`${value}`) !== undefined);
const isKey =
  /^\s*([A-Ha-h](\s?(#|b|♯|♭|is|es|flat|sharp))?([\s-]?(m|min|minor|maj|major|dur|moll))?|\d{1,2}[ABab])\s*$/;

export const TESTS = {
  isrc: text(taken(canonicalIsrc)),
  iswc: text(taken(canonicalIswc)),
  bpm: scalar(taken(canonicalBpm)),
  seconds: scalar(taken(canonicalDuration)),
  clock: isClock,
  duration: scalar((value) => isClock(value) || taken(canonicalDuration)(value)),
  date: scalar(taken(canonicalReleaseDate)),
  timeSignature: text(taken(canonicalTimeSignature)),
  songKey: text((value) => isKey.test(`${value}`) && taken(canonicalSongKeys)(value)),
  flag: (value: unknown) => typeof flagOf(value) === 'boolean',
  language: text((value) => /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/.test(`${value}`)),
  uuid: text((value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(`${value}`)),
  id: (value: unknown) =>
    (typeof value === 'string' && value.length <= 200) ||
    (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e15),
} as const;

/** How much higher than the count of the records their highest number may be: some rows were left out. */
const MAX_GAPS = 1.1;

/** Whether records are numbered from 0 or 1 on, in any order and with few gaps. `#1` and `1.` are numbers, too. */
export function isRunning(values: readonly unknown[]): boolean {
  const numbers = values.map((value) => {
    const [, digits] = /^\s*#?\s*(\d+)\.?\s*$/.exec(`${value}`) ?? [];
    return digits === undefined ? Number.NaN : Number(digits);
  });
  const sorted = numbers.toSorted((one, other) => one - other);
  const [lowest] = sorted;
  return (
    values.length > 1 &&
    numbers.every((number) => !Number.isNaN(number)) &&
    new Set(numbers).size === numbers.length &&
    (lowest === 0 || lowest === 1) &&
    sorted.at(-1)! <= numbers.length * MAX_GAPS
  );
}

/** Returns the steps of a rule that undo the damage of texts, and a remark about them. */
export function cleaningOf(values: readonly unknown[]): { steps: object; remark?: string } {
  const texts = values.flat().filter((value) => typeof value === 'string');
  if (shareOf(texts, (text) => /^\s*b(["']).*\1\s*$/s.test(`${text}`)) === 1) {
    return { steps: { decode: 'python-literal' }, remark: '; bytes of Python are decoded' };
  }
  const isQuoted = shareOf(texts, (text) => /^"+[^"].*"$/s.test(`${text}`.trim())) > MOST_QUOTED;
  const repair = REPAIRED.filter(({ kind, sign }) =>
    texts.some((text) => sign.test(text) && repaired(text, kind) !== text),
  );
  const signs = ['""', '"'];
  const remarks = [
    ...(isQuoted ? ['quotes around each are removed'] : []),
    ...repair.map(({ remark }) => remark),
  ];
  return {
    steps: {
      ...(isQuoted && { strip: signs, stripEnd: signs }),
      ...(repair.length > 0 && { repair: repair.map(({ kind }) => kind) }),
    },
    ...(remarks.length > 0 && { remark: `; ${remarks.join(', ')}` }),
  };
}

/** Quotes around some of the texts are part of them. */
const MOST_QUOTED = 0.5;
const REPAIRED: readonly { kind: Repair; sign: RegExp; remark: string }[] = [
  { kind: 'html-entities', sign: /&[#a-z0-9]{2,8};/i, remark: 'HTML entities are decoded once' },
  {
    kind: 'double-utf8',
    sign: /[\u00c2-\u00f4]/,
    remark: 'UTF-8 that was encoded twice is decoded',
  },
];

export function shareOf(values: readonly unknown[], test: (value: unknown) => boolean): number {
  return values.length === 0 ? 0 : values.filter(test).length / values.length;
}

/** Forms of dates, apart from those that the record takes. The order of day and month is never guessed. */
const DATE_FORMS = [
  'YYYY/MM/DD',
  'YYYY.MM.DD',
  'YYYYMMDD',
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD-MM-YYYY',
  'MM-DD-YYYY',
  'MM/DD/YYYY hh:mm:ss A',
  'DD/MM/YYYY hh:mm',
  'DD/MM/YYYY hh:mm:ss',
  'DD.MM.YYYY hh:mm',
  'DD.MM.YYYY hh:mm:ss',
  'D MMM YYYY',
  'MMM D, YYYY',
  'MMM D YYYY',
  'DD-MMM-YYYY',
  'MMM YYYY',
  'YYYY MMM D',
];
/** The least share of values that a form must read. */
const MOST = 0.9;

/** Returns the form that reads most values; `ambiguous` if two forms read them as different days. */
export function dateFormOf(values: readonly unknown[]): string | 'ambiguous' | undefined {
  const texts = values.filter((value) => typeof value === 'string').map((value) => value.trim());
  const readings = DATE_FORMS.map((form) => ({ form, days: texts.map(dateReader(form)) }))
    .map((one) => ({ ...one, count: one.days.filter((day) => day !== undefined).length }))
    .filter(({ count }) => texts.length > 0 && count >= texts.length * MOST)
    .toSorted((one, other) => other.count - one.count);
  const [best, ...others] = readings;
  const isAmbiguous = others.some(
    ({ count, days }) => count === best!.count && days.some((day, i) => day !== best!.days[i]),
  );
  return isAmbiguous ? 'ambiguous' : best?.form;
}

/** Returns how texts encode lists or objects; undefined if they are plain. */
export function encodingOf(values: readonly unknown[]): 'json' | 'python-literal' | undefined {
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.length === 0 || !texts.every((value) => /^\s*[[{].*[\]}]\s*$/s.test(value))) {
    return undefined;
  }
  const parses = (parse: (value: string) => unknown) =>
    texts.every((value) => {
      try {
        return typeof parse(value) === 'object';
      } catch {
        return false;
      }
    });
  return parses(parseJson) ? 'json' : parses(parsePythonLiteral) ? 'python-literal' : undefined;
}

const SEPARATORS = [';', '|', ' / ', ','];

export function separatorsOf(
  values: readonly unknown[],
  allowed: readonly string[] = SEPARATORS,
): string[] | undefined {
  const found = allowed.filter((sign) =>
    values.some((value) => typeof value === 'string' && value.includes(sign)),
  );
  return found.length === 0 ? undefined : found;
}
