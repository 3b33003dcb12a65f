/** The term of a license that does not end. */
const PERPETUAL = 'PERPETUAL';

const FORM = /^P([1-9]\d{0,3})([MY])$/;
/** The longest term that ends. */
const MAX_MONTHS = 1_200;

/** Returns the months of a term: `P6M` has 6, `P2Y` 24, and PERPETUAL null. Undefined for any other text. */
export function monthsOf(term: string): number | null | undefined {
  if (term === PERPETUAL) return null;
  const [, count, unit] = FORM.exec(term) ?? [];
  if (count === undefined) return undefined;
  const months = Number(count) * (unit === 'Y' ? 12 : 1);
  return months <= MAX_MONTHS ? months : undefined;
}

/**
 * Returns the end of a term in the calendar of UTC, in milliseconds since the epoch; null if it does not end. A day that
 * the last month does not have is its last day: 31 January and a month make 28 February. Throws a RangeError for a text
 * that is no term.
 */
export function endOfTerm(startsAt: number, term: string): number | null {
  const months = monthsOf(term);
  if (months === undefined) throw new RangeError(`${term} is not a term.`);
  if (months === null) return null;
  const end = new Date(startsAt);
  const day = end.getUTCDate();
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + months);
  end.setUTCDate(Math.min(day, daysInMonth(end)));
  return end.getTime();
}

function daysInMonth(date: Date): number {
  const last = new Date(date);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  return last.getUTCDate();
}
