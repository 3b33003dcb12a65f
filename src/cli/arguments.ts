import { InvalidArgumentError } from 'commander';

/** Words parted by commas; none may be empty. */
export function commaList(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  if (words.includes('')) {
    throw new InvalidArgumentError('An element is empty; write a,b,c.');
  }
  return words;
}

/** As commaList, where `none` or nothing stands for the empty list. */
export function commaListOrNone(text: string): string[] {
  return text.trim() === '' || text === 'none' ? [] : commaList(text);
}

/** A whole number within bounds, both included. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= least && number <= most)) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return number;
  };
}

/** Milliseconds since the epoch as the machine reads them. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Milliseconds since the epoch as a person reads them, in UTC to the second. */
export function shownTime(at: number): string {
  return isoTime(at)
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}

/** Requests a minute, or `default` (commander takes a null for nothing given). */
export function rateLimit(text: string): number | 'default' {
  return text === 'default' ? text : wholeNumber(1, 1_000_000)(text);
}
