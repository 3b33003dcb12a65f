/**
 * Milliseconds since the epoch of a release date in one of the forms that catalogs use without
 * being asked: `2013`, `2011-08`, `2011-08-02` (also with `-00` for what is not known, as MySQL and
 * Discogs write it), and ISO 8601 with a time, UTC where no zone is named. Null where the date says
 * that it is unknown (`""`, `0`, `0000-00-00`), undefined where it is none of these or no such day.
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
    return month === 0 && day !== 0
      ? undefined
      : instant({ year, month: month || 1, day: day || 1 });
  }
  return instant({
    year,
    month,
    day,
    hour: Number(parts[4]),
    minute: Number(parts[5]),
    second: Number(parts[6] ?? 0),
    millisecond: Math.floor(Number(`0.${parts[7] ?? 0}`) * 1000),
    offsetMinutes: offsetOf(parts[8]),
  });
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

/** Reads a date in a supplier's own form; undefined where the text does not have it or names no such day. */
export type DateReader = (text: string) => number | undefined;

const TOKENS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<shortYear>\\d{2})',
  MM: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{1,2})',
  hh: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
  A: '(?<half>[AaPp][Mm])',
};

/**
 * The reader of a date form such as `MM/DD/YYYY hh:mm:ss A`, in UTC. Months, days and hours may have
 * one digit or two; two-digit years mean 1970 to 2069. Throws when the form names no year or a part twice.
 */
export function dateReader(form: string): DateReader {
  const pattern = form
    .split(/(YYYY|YY|MM|DD|hh|mm|ss|A)/)
    .map((piece) => TOKENS[piece] ?? piece.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('');
  let expression: RegExp;
  try {
    expression = new RegExp(`^${pattern}$`);
  } catch {
    throw new Error(`the date form "${form}" names a part twice`);
  }
  if (!/YY/.test(form)) {
    throw new Error(`the date form "${form}" names no year (YYYY or YY)`);
  }
  return (text) => {
    const parts = expression.exec(text)?.groups;
    if (parts === undefined) {
      return undefined;
    }
    const short = Number(parts.shortYear);
    const hour = Number(parts.hour ?? 0);
    if (parts.half !== undefined && (hour < 1 || hour > 12)) {
      return undefined;
    }
    return instant({
      year: parts.year === undefined ? short + (short < 70 ? 2000 : 1900) : Number(parts.year),
      month: Number(parts.month ?? 1),
      day: Number(parts.day ?? 1),
      hour: parts.half === undefined ? hour : (hour % 12) + (/^p/i.test(parts.half) ? 12 : 0),
      minute: Number(parts.minute ?? 0),
      second: Number(parts.second ?? 0),
    });
  };
}

function instant({
  year,
  month,
  day,
  hour = 0,
  minute = 0,
  second = 0,
  millisecond = 0,
  offsetMinutes = 0,
}: {
  year: number;
  month: number;
  day: number;
  hour?: number;
  minute?: number;
  second?: number;
  millisecond?: number;
  offsetMinutes?: number;
}): number | undefined {
  // A leap second counts as the first of the next minute; JavaScript's clock has none.
  if (year < 1 || hour > 23 || minute > 59 || second > 60 || Math.abs(offsetMinutes) > 18 * 60) {
    return undefined;
  }
  // Date.UTC alone would read the years 1 to 99 as 1901 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    return undefined;
  }
  date.setUTCHours(hour, minute - offsetMinutes, second, millisecond);
  const milliseconds = date.getTime();
  return milliseconds >= FIRST_INSTANT && milliseconds <= LAST_INSTANT ? milliseconds : undefined;
}

/** What `YYYY-MM-DDThh:mm:ss.sssZ` can write. */
const FIRST_INSTANT = -62_135_596_800_000;
const LAST_INSTANT = 253_402_300_799_999;
