import { InvalidArgumentError } from 'commander';

/** Rejects a text of white space only, because a shell passes such a text for an unset variable. */
export function notEmpty(text: string): string {
  if (text.trim() === '') {
    throw new InvalidArgumentError('It must not be empty.');
  }
  return text;
}

/** Parses words separated by commas. None may be empty. */
export function commaList(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  if (words.includes('')) {
    throw new InvalidArgumentError('An element is empty; write a,b,c.');
  }
  return words;
}

/** Like `commaList`; `none` or an empty text means the empty list. */
export function commaListOrNone(text: string): string[] {
  return text.trim() === '' || text === 'none' ? [] : commaList(text);
}

/** Parses a whole number within bounds, both included. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= least && number <= most)) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return number;
  };
}

/** Formats milliseconds since the epoch for programs. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Formats milliseconds since the epoch for people, in UTC to the second. */
export function shownTime(at: number): string {
  return isoTime(at)
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}

/** Parses requests per minute, or `default`, because commander treats null as a missing value. */
export function rateLimit(text: string): number | 'default' {
  return text === 'default' ? text : wholeNumber(1, 1_000_000)(text);
}
