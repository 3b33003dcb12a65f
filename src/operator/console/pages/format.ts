import { type Html, html } from './html.ts';

const NUMBER = new Intl.NumberFormat('en-US');
const DECIMAL = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** Formats a whole number with separators. */
export function number(value: number): string {
  return NUMBER.format(value);
}

/** Formats a moment for people, in UTC to the minute. */
export function time(at: number | null): Html | string {
  if (at === null) return 'never';
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 16).replace('T', ' ')}</time>`;
}

/** Formats a part of a whole. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '0%' : `${DECIMAL.format((100 * part) / whole)}%`;
}

/** Formats a duration in seconds. */
export function duration(seconds: number): string {
  if (seconds < 1) return `${DECIMAL.format(seconds * 1_000)} ms`;
  if (seconds < 120) return `${DECIMAL.format(seconds)} s`;
  if (seconds < 7_200) return `${DECIMAL.format(seconds / 60)} min`;
  return seconds < 172_800
    ? `${DECIMAL.format(seconds / 3_600)} h`
    : `${DECIMAL.format(seconds / 86_400)} d`;
}

/** Formats the length of a track, as 3:05. */
export function trackLength(seconds: number): string {
  if (seconds === 0) return 'unknown';
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}

/** Formats JSON over several lines. */
export function prettyJson(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}
