const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '[0-2]\\d:[0-5]\\d:[0-6]\\d';
const IMF_FIXDATE = new RegExp(`^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`);
const RFC_850 = new RegExp(
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`,
);
const ASCTIME = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`);

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
