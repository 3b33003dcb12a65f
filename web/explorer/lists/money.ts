/** An amount in minor units, with its currency. */
export function money(
  amountMinor: number,
  { currency, minorUnit }: { currency: string; minorUnit: number },
): string {
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency });
  return format.format(amountMinor / 10 ** minorUnit);
}

/** The term of a license for people: `P1Y` is one year. */
export function termName(term: string): string {
  const [, count, unit] = /^P(\d+)([YMWD])$/.exec(term) ?? [];
  if (count === undefined) return term.charAt(0) + term.slice(1).toLowerCase();
  const name = { Y: 'year', M: 'month', W: 'week', D: 'day' }[unit!];
  return `${count} ${name}${count === '1' ? '' : 's'}`;
}
