import { escaped } from '../../../common/text/html.ts';

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

/** What a template may contain. Texts and numbers are escaped; null, undefined and false are left out. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** Makes HTML of a template. Escapes every value that is not HTML, also for attributes in double quotes. */
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
