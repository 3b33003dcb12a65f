import { describe, type ImportRecord } from '../record.ts';
import { parseReleaseDate } from './release-date.ts';
import { canonicalWords, type Report } from './text.ts';

/** Longest duration taken, in seconds: about four months. */
const MAX_DURATION_SECONDS = 10_000_000;

/** The tempo as decisions §3 carries it: `"130"`, at most three decimals, `""` where unknown or 0. */
export function canonicalBpm(given: ImportRecord['bpm'], report: Report): string {
  const bpm = numberOf(given);
  if (bpm === undefined || bpm < 0 || bpm > 1000) {
    report('bpm', `must be a number between 0 and 1000; it is ${describe(given)}`);
    return '';
  }
  return bpm === 0 ? '' : `${Math.round(bpm * 1000) / 1000}`;
}

/** Whole seconds, at least 1 where the duration is known, else 0 (decisions §3). */
export function canonicalDuration(given: ImportRecord['durationSeconds'], report: Report): number {
  const seconds = numberOf(given);
  if (seconds === undefined || seconds < 0 || seconds > MAX_DURATION_SECONDS) {
    report('durationSeconds', `must be a number of seconds, 0 or more; it is ${describe(given)}`);
    return 0;
  }
  return roundedDuration(seconds);
}

/** A known duration rounded, at least 1; 0 stays 0, for it means unknown. */
export function roundedDuration(seconds: number): number {
  return seconds === 0 ? 0 : Math.max(1, Math.round(seconds));
}

/** 0 where nothing is given, undefined where what is given is no number. */
function numberOf(given: number | string | null | undefined): number | undefined {
  if (typeof given === 'number') {
    return given;
  }
  if (given === undefined || given === null) {
    return 0;
  }
  const text = given.trim();
  if (text === '') {
    return 0;
  }
  return /^[+-]?\d{1,15}(\.\d{0,15})?$/.test(text) ? Number(text) : undefined;
}

/** The keys, each once; empty where unknown. */
export function canonicalSongKeys(given: ImportRecord['songKey'], report: Report): string[] {
  if (given === undefined || given === null) {
    return [];
  }
  return canonicalWords(typeof given === 'string' ? [given] : given, 'songKey', 24, report);
}

/** `3/4`, or `""` where unknown. */
export function canonicalTimeSignature(
  given: ImportRecord['timeSignature'],
  report: Report,
): string {
  const text = given?.trim() ?? '';
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

/** The region's code in upper case, `WORLD` where unknown (decisions §3). */
export function canonicalRegion(given: ImportRecord['region'], report: Report): string {
  const text = given?.trim() ?? '';
  if (text === '') {
    return 'WORLD';
  }
  if (!/^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$/.test(text) || text.length > 32) {
    report('region', `must be a region code such as WORLD, EU or US; it is ${describe(given)}`);
    return 'WORLD';
  }
  return text.toUpperCase();
}

/** Twelve characters of ISO 3901, `""` where unknown. */
export function canonicalIsrc(given: ImportRecord['isrc'], report: Report): string {
  const isrc = (given ?? '')
    .replace(/^\s*(ISRC:?)?/i, '')
    .replace(/[\s-]/g, '')
    .toUpperCase();
  if (isrc === '' || /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/.test(isrc)) {
    return isrc;
  }
  report('isrc', `must be an ISRC such as USUAN1100001; it is ${describe(given)}`);
  return '';
}

/** Milliseconds since the epoch, null where unknown. */
export function canonicalReleaseDate(
  given: ImportRecord['releaseDate'],
  report: Report,
): number | null {
  if (given === undefined || given === null) {
    return null;
  }
  const releasedAt = parseReleaseDate(typeof given === 'number' ? `${given}` : given.trim());
  if (releasedAt === undefined) {
    report(
      'releaseDate',
      `must be a date such as 2013, 2011-08-02 or 2011-08-02T10:00:00Z; it is ${describe(given)}`,
    );
    return null;
  }
  return releasedAt;
}
