import { MINUTE_MS } from './clock.ts';

const TIME = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Returns a time of RFC 3339 in milliseconds since the epoch; undefined if the text is none. Digits beyond
 * milliseconds are cut off. A leap second is refused: it has no value in milliseconds. A time that an offset moves out
 * of the years 0 to 9999 is the first or the last of these years, because RFC 3339 has no form in UTC for it.
 */
export function parseTime(text: string): number | undefined {
  const match = TIME.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, date, timeOfDay, fraction = '', sign, hours = '0', minutes = '0'] = match;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const seconds = `${date}T${timeOfDay}`;
  const local = Date.parse(`${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  // Date.parse takes some days and times that do not exist for later ones.
  const exists = !Number.isNaN(local) && new Date(local).toISOString().startsWith(seconds);
  if (!exists) return undefined;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  const time = local - (sign === '-' ? -offsetMs : offsetMs);
  return Math.min(Math.max(time, FIRST), LAST);
}

/** Returns the day of a date or a time if there is no such day, as in `2024-02-30`; undefined for other texts. */
export function missingDay(text: string): string | undefined {
  const day = /^\d{4}-\d\d-\d\d(?=$|[Tt ])/.exec(text)?.[0];
  if (day === undefined) return undefined;
  // Date takes 30 February for 1 March.
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) ? undefined : day;
}

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME_OF_DAY = '[0-2]\\d:[0-5]\\d:[0-6]\\d';
const IMF_FIXDATE = new RegExp(`^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME_OF_DAY} GMT$`);
const RFC_850 = new RegExp(
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d{2}-${MONTH}-\\d{2} ${TIME_OF_DAY} GMT$`,
);
const ASCTIME = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME_OF_DAY} \\d{4}$`);

/**
 * Parses an HTTP-date in any of the three forms that a recipient must accept (RFC 9110 §5.6.7), to
 * milliseconds since the epoch. Returns undefined for other text, which the caller ignores.
 */
export function httpDate(text: string): number | undefined {
  const parseable = ASCTIME.test(text)
    ? `${text} GMT`
    : IMF_FIXDATE.test(text) || RFC_850.test(text)
      ? text
      : undefined;
  const ms = parseable === undefined ? Number.NaN : Date.parse(parseable);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Returns a time in milliseconds since the epoch as a text in UTC; null for none. */
export function isoOrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
