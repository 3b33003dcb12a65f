/** `3:45`, `1:02:03` or `0:30.5`. */
const CLOCK = /^(?:(\d{1,4}):(?=[0-5]?\d:))?(\d{1,4}):([0-5]?\d(?:[.,]\d{1,9})?)$/;
/** `3'04"`, `3′04″`, `3'` or `45"`, with straight, typographic or doubled signs. */
const PRIMES =
  /^(?!$)(?:(\d{1,4})\s?['′’]\s?(?!['′’])(?=$|\d))?(?:(\d{1,6}(?:[.,]\d{1,9})?)\s?(?:["″”]|''|′′|’’))?$/;
/** `3m 4s`, `1 h 2 min` or `184 sec`. */
const LETTERS =
  /^(?!$)(?:(\d{1,4})\s?h\s?)?(?:(\d{1,6})\s?m(?:in)?\s?)?(?:(\d{1,9}(?:[.,]\d{1,9})?)\s?s(?:ec)?)?$/i;
/** ISO 8601: `PT3M4S`, `PT1H2M3.5S` or `P1DT2H`. */
const ISO =
  /^P(?=.*\d)(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:[.,]\d{1,9})?)S)?)?$/i;

/**
 * Parses a written duration to seconds: `3:45`, `1:02:03`, `3'04"`, `3m 4s` or `PT3M4S`. Returns
 * undefined for any other text, a plain number included.
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  const clock = CLOCK.exec(trimmed);
  if (clock !== null) {
    return sum(0, clock[1], clock[2], clock[3]);
  }
  const primes = PRIMES.exec(trimmed);
  if (primes !== null) {
    return sum(0, 0, primes[1], primes[2]);
  }
  const letters = LETTERS.exec(trimmed);
  if (letters !== null) {
    return sum(0, letters[1], letters[2], letters[3]);
  }
  const iso = ISO.exec(trimmed);
  return iso === null ? undefined : sum(iso[1], iso[2], iso[3], iso[4]);
}

type Digits = string | number | undefined;

function sum(days: Digits, hours: Digits, minutes: Digits, seconds: Digits): number {
  const whole = Number(days ?? 0) * 86_400 + Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60;
  return whole + Number(String(seconds ?? 0).replace(',', '.'));
}
