import { DAY_MS } from '../../../common/clock.ts';

/**
 * Parses a release date to milliseconds since the epoch. Accepts `2013`, `2011-08`, `2011-08-02`
 * (also with `-00` for an unknown part, as MySQL and Discogs write it), and ISO 8601 with a time,
 * in UTC if no zone is given. Null if the date is unknown (`""`, `0`, `0000-00-00`); undefined if
 * the text has another form or the day does not exist.
 */
export function parseReleaseDate(text: string): number | null | undefined {
  const parts = ISO_DATE.exec(text);
  if (parts === null) {
    return text === '' || text === '0' ? null : undefined;
  }
  const year = Number(parts[1]);
  const month = parts[2] === undefined ? 0 : Number(parts[2]);
  const day = parts[3] === undefined ? 0 : Number(parts[3]);
  if (parts[4] === undefined) {
    if (year === 0) {
      return month === 0 && day === 0 ? null : undefined;
    }
    return month === 0 && day !== 0 ? undefined : instant([year, month || 1, day || 1]);
  }
  const millisecond = Math.floor(Number(`0.${parts[7] ?? 0}`) * 1000);
  const time = [Number(parts[4]), Number(parts[5]), Number(parts[6] ?? 0), millisecond];
  return instant([year, month, day], time, offsetOf(parts[8]));
}

const ISO_DATE =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|z|UTC|[+-]\d\d(?::?\d\d)?)?)?)?)?$/;

function offsetOf(zone: string | undefined): number {
  if (zone === undefined || /^[a-z]/i.test(zone)) {
    return 0;
  }
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0);
  return zone.startsWith('-') ? -minutes : minutes;
}

/** Parses a date in a supplier's form; undefined for another form or a day that does not exist. */
export type DateReader = (text: string) => number | undefined;

/** The names of forms of numbers that stand for a date, with the first day of each. */
const SERIAL_DATES: Readonly<Record<string, number>> = {
  excel: Date.UTC(1899, 11, 30),
  'excel-1904': Date.UTC(1904, 0, 1),
};

const TOKENS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<shortYear>\\d{2})',
  MMM: '(?<monthName>\\p{L}{3,15})\\.?',
  MM: '(?<month>\\d{1,2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{1,2})',
  D: '(?<day>\\d{1,2})',
  hh: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
  A: '(?<half>[AaPp][Mm])',
};

/**
 * Returns the reader of a date form such as `MM/DD/YYYY hh:mm:ss A` or `D-MMM-YY`, in UTC. Months,
 * days and hours may have one digit or two; `MMM` is a month name in English or in the language, or
 * its beginning (`Aug`); two-digit years mean 1970 to 2069. Throws an Error if the form has no year, a part
 * twice, or letters without a meaning (`T` and `Z` stand for themselves). The forms `excel` and
 * `excel-1904` read the serial dates of spreadsheets (`40757`, `40757.5`).
 */
export function dateReader(form: string, language = 'en'): DateReader {
  const firstDay = SERIAL_DATES[form];
  if (firstDay !== undefined) {
    return (text) => serialDate(text, firstDay);
  }
  const pieces = form.split(/(YYYY|YY|MMM|MM|M|DD|D|hh|mm|ss|A)/);
  const letters = pieces.find((piece) => TOKENS[piece] === undefined && /[^\P{L}TZ]/u.test(piece));
  if (letters !== undefined) {
    throw new Error(
      `the date form "${form}" holds the letters "${letters.replace(/[^\p{L}]/gu, '')}", which stand for nothing: a form is made of ${Object.keys(TOKENS).join(' ')} and signs`,
    );
  }
  const pattern = pieces
    .map((piece) => TOKENS[piece] ?? piece.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('');
  let expression: RegExp;
  try {
    expression = new RegExp(`^${pattern}$`, 'u');
  } catch {
    throw new Error(`the date form "${form}" names a part twice`);
  }
  if (!/YY/.test(form)) {
    throw new Error(`the date form "${form}" names no year (YYYY or YY)`);
  }
  if (form.includes('MMM') && pieces.some((piece) => piece === 'MM' || piece === 'M')) {
    throw new Error(`the date form "${form}" names a part twice`);
  }
  const monthOf = monthReader(language);
  return (text) => {
    const parts = expression.exec(text)?.groups;
    if (parts === undefined) {
      return undefined;
    }
    const short = Number(parts.shortYear);
    const hour = Number(parts.hour ?? 0);
    const month =
      parts.monthName === undefined ? Number(parts.month ?? 1) : monthOf(parts.monthName);
    if (parts.half !== undefined && (hour < 1 || hour > 12)) {
      return undefined;
    }
    const year = parts.year === undefined ? short + (short < 70 ? 2000 : 1900) : Number(parts.year);
    const fullHour =
      parts.half === undefined ? hour : (hour % 12) + (/^p/i.test(parts.half) ? 12 : 0);
    return instant(
      [year, month, Number(parts.day ?? 1)],
      [fullHour, Number(parts.minute ?? 0), Number(parts.second ?? 0)],
    );
  };
}

/** The last serial date of Excel: 31 December 9999. */
const LAST_SERIAL = 2_958_465;

/** Excel counts a day too many before 1 March 1900, and no release is as old as that. */
function serialDate(text: string, firstDay: number): number | undefined {
  if (!/^\d{1,7}(?:[.,]\d{1,15})?$/.test(text)) {
    return undefined;
  }
  const days = Number(text.replace(',', '.'));
  return days < 61 || days >= LAST_SERIAL + 1
    ? undefined
    : firstDay + Math.round(days * (DAY_MS / 1000)) * 1000;
}

/** Returns milliseconds since the epoch; undefined for what is no day or time, or not in the range of ISO 8601. */
function instant(
  [year, month, day]: readonly [number, number, number],
  [hour = 0, minute = 0, second = 0, millisecond = 0]: readonly number[] = [],
  offsetMinutes = 0,
): number | undefined {
  // A leap second counts as the first second of the next minute, because JavaScript's clock has
  // none.
  if (year < 1 || hour > 23 || minute > 59 || second > 60 || Math.abs(offsetMinutes) > 18 * 60) {
    return undefined;
  }
  // Date.UTC would read the years 1 to 99 as 1901 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    return undefined;
  }
  date.setUTCHours(hour, minute - offsetMinutes, second, millisecond);
  const milliseconds = date.getTime();
  return milliseconds >= FIRST_INSTANT && milliseconds <= LAST_INSTANT ? milliseconds : undefined;
}

/** Senders write the last day of the calendar of ISO 8601 for a period without an end. */
export const NEVER = Date.UTC(9999, 11, 31);

/** The range of `YYYY-MM-DDThh:mm:ss.sssZ`. */
const FIRST_INSTANT = -62_135_596_800_000;
const LAST_INSTANT = 253_402_300_799_999;

/** Abbreviations that spreadsheets use, and that neither Intl has nor begin a name: words without accents. */
const ABBREVIATIONS: Readonly<Record<string, number>> = { sept: 9, mrz: 3 };

/**
 * Returns a reader of month names in English and in a language, or of their beginnings of three letters or more: 1 to 12, or
 * 0 for another word. Case and accents do not matter. The names are those of the Unicode CLDR.
 * The language must have month names.
 */
function monthReader(language: string): (word: string) => number {
  // Made when the first month is read: the formats of Intl take megabytes.
  let names: string[][][] | undefined;
  return (word) => {
    names ??= [language, 'en'].map(monthNames);
    const text = plain(word);
    for (const months of names) {
      const month = months.findIndex((forms) => forms.some((form) => form.startsWith(text)));
      if (month >= 0) return month + 1;
    }
    return ABBREVIATIONS[text] ?? 0;
  };
}

/** Whether a text is a language tag (BCP 47) whose month names are known. */
export function hasMonthNames(language: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language).length > 0;
  } catch {
    return false;
  }
}

/** The forms of the twelve months: alone and in a date, where many languages have another case. */
function monthNames(language: string): string[][] {
  const styles = (['long', 'short'] as const).flatMap((month) =>
    [{ month }, { month, day: 'numeric', year: 'numeric' } as const].map(
      (style) => new Intl.DateTimeFormat(language, { ...style, timeZone: 'UTC' }),
    ),
  );
  return Array.from({ length: 12 }, (_, month) => {
    const day = new Date(Date.UTC(2001, month, 15));
    const parts = styles.map((style) =>
      style.formatToParts(day).find(({ type }) => type === 'month'),
    );
    return parts.map((part) => plain(part?.value ?? ''));
  });
}

function plain(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}|\.$/gu, '')
    .toLowerCase();
}
