import { escaped } from '../../../common/text/shown.ts';

/** HTML that is safe to send. Only `html` and `rawHtml` make it. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Texts and numbers are escaped; null, undefined and false are left out. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** Escapes every value that is not HTML, also for attributes in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const text = parts.map((part, i) => (i === 0 ? part : textOf(values[i - 1]) + part));
  return new Html(text.join(''));
}

/** Takes a text that is HTML already. Never call it with a text that somebody else wrote. */
export function rawHtml(text: string): Html {
  return new Html(text);
}

function textOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'string' || typeof value === 'number') return safeText(String(value));
  return value.map(textOf).join('');
}

/** Escapes a text for HTML, also for attributes in single quotes, and replaces marks of direction. */
function safeText(text: string): string {
  // Marks of direction could make a line read differently from what it says.
  const legible = text.replace(/[\u202a-\u202e\u2066-\u2069\0]/g, '\uFFFD');
  return escaped(legible).replaceAll("'", '&#39;');
}

const NUMBER = new Intl.NumberFormat('en-US');
const DECIMAL = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
/** So that the steps of an axis below a millisecond differ. */
const SHORT = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

export function number(value: number): string {
  return NUMBER.format(value);
}

/** Formats a moment in UTC, to the minute. */
export function time(at: number | null): Html | string {
  if (at === null) return 'never';
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 16).replace('T', ' ')}</time>`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '0%' : `${DECIMAL.format((100 * part) / whole)}%`;
}

export function duration(seconds: number): string {
  if (seconds < 1) return `${SHORT.format(seconds * 1_000)} ms`;
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

export function prettyJson(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}
