import { describe, type ImportRecord } from '../record.ts';
import { parseReleaseDate } from './release-date.ts';
import { canonicalWords, type Report, trimmed } from './text.ts';

const MAX_DURATION_SECONDS = 10_000_000;

/** Returns the tempo with three decimals at most: `"130"`; `""` if unknown or 0. */
export function canonicalBpm(given: ImportRecord['bpm'], report: Report): string {
  const bpm = numberOf(given);
  if (bpm === undefined || bpm < 0 || bpm > 1000) {
    report('bpm', `must be a number between 0 and 1000; it is ${describeNumber(given)}`);
    return '';
  }
  return bpm === 0 ? '' : `${Math.round(bpm * 1000) / 1000}`;
}

/** Returns whole seconds, at least 1; 0 if unknown (docs/contract/tracks.md#unknown-values). */
export function canonicalDuration(given: ImportRecord['durationSeconds'], report: Report): number {
  const seconds = numberOf(given);
  if (seconds === undefined || seconds < 0 || seconds > MAX_DURATION_SECONDS) {
    report(
      'durationSeconds',
      `must be a number of seconds, 0 or more; it is ${describeNumber(given)}`,
    );
    return 0;
  }
  return roundedDuration(seconds);
}

/** The last second at which a preview clip may begin: a day. */
const MAX_PREVIEW_START = 86_400;

/** Returns the whole second; null for an empty text, and undefined for a faulty one. */
export function canonicalPreviewStart(
  given: NonNullable<ImportRecord['previewStartSeconds']>,
  report: Report,
): number | null | undefined {
  if (typeof given === 'string' && trimmed(given) === '') {
    return null;
  }
  const second = numberOf(given);
  if (!Number.isInteger(second) || second! < 0 || second! > MAX_PREVIEW_START) {
    const rule = `must be a whole number between 0 and ${MAX_PREVIEW_START}`;
    report('previewStartSeconds', `${rule}; it is ${describe(given)}`);
    return undefined;
  }
  // Without the sign of -0.
  return Math.abs(second!);
}

/** Rounds a known duration, to at least 1. Keeps 0, which means unknown. */
export function roundedDuration(seconds: number): number {
  return seconds === 0 ? 0 : Math.max(1, Math.round(seconds));
}

/** Describes what is no number, with the part of a mapping that reads it if a comma is the reason. */
function describeNumber(given: unknown): string {
  const hasComma = typeof given === 'string' && /^[\d.\s]{1,20},\d+$/.test(trimmed(given));
  return `${describe(given)}${hasComma ? ' (`decimal` of a mapping reads commas)' : ''}`;
}

/** Returns 0 if there is no value; undefined if the value is not a number. */
function numberOf(given: number | string | null | undefined): number | undefined {
  if (typeof given === 'number') {
    return given;
  }
  if (given === undefined || given === null) {
    return 0;
  }
  const text = trimmed(given);
  if (text === '') {
    return 0;
  }
  return /^[+-]?\d{1,15}(\.\d{0,15})?$/.test(text) ? Number(text) : undefined;
}

export function canonicalSongKeys(given: ImportRecord['songKey'], report: Report): string[] {
  if (given === undefined || given === null) {
    return [];
  }
  return canonicalWords(typeof given === 'string' ? [given] : given, 'songKey', 24, report);
}

/** Returns a time signature such as `3/4`; `""` if unknown. */
export function canonicalTimeSignature(
  given: ImportRecord['timeSignature'],
  report: Report,
): string {
  const text = trimmed(given ?? '');
  if (text === '') {
    return '';
  }
  const parts = /^([1-9]\d?)\s*\/\s*([1-9]\d?)$/.exec(text);
  if (parts === null) {
    report('timeSignature', `must be of the form \`<n>/<n>\`; it is ${describe(given)}`);
    return '';
  }
  return `${parts[1]}/${parts[2]}`;
}

/** Returns the region code in upper case; `WORLD` if unknown. */
export function canonicalRegion(given: ImportRecord['region'], report: Report): string {
  const text = trimmed(given ?? '');
  if (text === '') {
    return 'WORLD';
  }
  if (!/^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$/.test(text) || text.length > 32) {
    report('region', `must be a region code such as WORLD, EU or US; it is ${describe(given)}`);
    return 'WORLD';
  }
  return text.toUpperCase();
}

/** Returns the twelve characters of ISO 3901; `""` if unknown. */
export function canonicalIsrc(given: ImportRecord['isrc'], report: Report): string {
  // Hyphens of any kind, minus signs, full-width letters and invisible characters come from documents.
  const isrc = trimmed((given ?? '').normalize('NFKC'))
    .replace(/^(ISRC:?)?/i, '')
    .replace(/[\s\p{Pd}\p{Cf}\u2212]/gu, '')
    .toUpperCase();
  if (isrc === '' || /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/.test(isrc)) {
    return isrc;
  }
  report('isrc', `must be an ISRC such as USUAN1100001; it is ${describe(given)}`);
  return '';
}

/** Returns `T-034.524.680-1` (ISO 15707); `""` for an empty text, and undefined for a faulty one. */
export function canonicalIswc(
  given: NonNullable<ImportRecord['iswc']>,
  report: Report,
): string | undefined {
  const text = trimmed(given);
  if (text === '') {
    return '';
  }
  const [, ...parts] = ISWC.exec(text) ?? [];
  const [first, second, third, check] = parts.filter((part) => part !== undefined);
  if (check === undefined || Number(check) !== iswcCheckDigit(`${first}${second}${third}`)) {
    const wrong = check === undefined ? '' : ', with a wrong check digit';
    report(
      'iswc',
      `must be an ISWC such as T-034.524.680-1 or T0345246801; it is ${describe(given)}${wrong}`,
    );
    return undefined;
  }
  return `T-${first}.${second}.${third}-${check}`;
}

const ISWC = /^T(?:-(\d{3})\.(\d{3})\.(\d{3})-(\d)|(\d{3})(\d{3})(\d{3})(\d))$/i;

/** The digits of the work are weighted by their places, and the letter counts as 1. */
function iswcCheckDigit(work: string): number {
  let sum = 1;
  for (let i = 0; i < work.length; i++) {
    sum += (i + 1) * Number(work[i]);
  }
  return (10 - (sum % 10)) % 10;
}

export function canonicalReleaseDate(
  given: ImportRecord['releaseDate'],
  report: Report,
): number | null {
  if (given === undefined || given === null) {
    return null;
  }
  const releasedAt = parseReleaseDate(typeof given === 'number' ? `${given}` : trimmed(given));
  if (releasedAt === undefined) {
    report(
      'releaseDate',
      `must be a date such as 2013, 2011-08-02 or 2011-08-02T10:00:00Z; it is ${describe(given)}`,
    );
    return null;
  }
  return releasedAt;
}

const YES: readonly string[] = ['true', 'yes', 'y', '1'];
const NO: readonly string[] = ['false', 'no', 'n', '0'];

/** Converts `yes`, `No`, `TRUE`, `1` to true or false. The check of the record rejects other values. */
export function flagOf(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') {
    return value;
  }
  const word = trimmed(String(value)).toLowerCase();
  if (YES.includes(word)) return true;
  return NO.includes(word) ? false : value;
}

/** `3:45`, `1:02:03` or `0:30.5`. */
const CLOCK = /^(?:(?<h>\d{1,4}):(?=[0-5]?\d:))?(?<m>\d{1,4}):(?<s>[0-5]?\d(?:[.,]\d{1,9})?)$/;
/** `3'04"`, `3′04″`, `3'` or `45"`, with straight, typographic or doubled signs. */
const PRIMES =
  /^(?!$)(?:(?<m>\d{1,4})\s?['′’]\s?(?!['′’])(?=$|\d))?(?:(?<s>\d{1,6}(?:[.,]\d{1,9})?)\s?(?:["″”]|''|′′|’’))?$/;
/** `3m 4s`, `1 h 2 min` or `184 sec`. */
const LETTERS =
  /^(?!$)(?:(?<h>\d{1,4})\s?h\s?)?(?:(?<m>\d{1,6})\s?m(?:in)?\s?)?(?:(?<s>\d{1,9}(?:[.,]\d{1,9})?)\s?s(?:ec)?)?$/i;
/** ISO 8601: `PT3M4S`, `PT1H2M3.5S` or `P1DT2H`. */
const ISO =
  /^P(?=.*\d)(?:(?<d>\d{1,4})D)?(?:T(?=\d)(?:(?<h>\d{1,6})H)?(?:(?<m>\d{1,6})M)?(?:(?<s>\d{1,9}(?:[.,]\d{1,9})?)S)?)?$/i;

/** Parses `3:45`, `1:02:03`, `3'04"`, `3m 4s` or `PT3M4S` to seconds. A plain number is none of these. */
export function parseDuration(text: string): number | undefined {
  return secondsOf(trimmed(text), [CLOCK, PRIMES, LETTERS, ISO]);
}

/** Parses a duration of ISO 8601 to seconds. Returns undefined for any other text. */
export function isoSeconds(text: string): number | undefined {
  return secondsOf(text, [ISO]);
}

function secondsOf(text: string, forms: readonly RegExp[]): number | undefined {
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) {
      const { d = 0, h = 0, m = 0, s = '0' } = parts;
      return Number(d) * 86_400 + Number(h) * 3600 + Number(m) * 60 + Number(s.replace(',', '.'));
    }
  }
  return undefined;
}
