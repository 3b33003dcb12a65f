import { InvalidArgumentError } from 'commander';
import { DAY_MS } from '../../../common/clock.ts';
import { missingDay } from '../../../common/time.ts';
import { MAX_SPENDING_LIMIT } from '../../../features/access/client.ts';

/** Rejects a text of white space only, because a shell passes such a text for an unset variable. */
export function notEmpty(text: string): string {
  if (text.trim() === '') {
    throw new InvalidArgumentError('It must not be empty.');
  }
  return text;
}

/** Makes a parser of settings, whose messages continue after a name, a parser of options. */
export function accepted<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message}.`);
    }
  };
}

/** No word may be empty. */
export function commaList(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  if (words.includes('')) {
    throw new InvalidArgumentError('An element is empty; write a,b,c.');
  }
  return words;
}

/** Like `commaList`; `none` means the empty list. An empty text is that of a variable without a value. */
export function commaListOrNone(text: string): string[] {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty; none is the empty list.');
  return text === 'none' ? [] : commaList(text);
}

/** Both bounds are included. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= least && number <= most)) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return number;
  };
}

const DAY_OR_MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/;

/**
 * Parses a day or a moment in UTC to milliseconds since the epoch.
 * @param end whether a day means its first or its last moment
 */
export function moment(end: 'first' | 'last'): (text: string) => number {
  return (text) => {
    const at = DAY_OR_MOMENT.test(text) ? Date.parse(text) : Number.NaN;
    // Date.parse accepts 30 February.
    if (Number.isNaN(at) || !isoTime(at).startsWith(text.slice(0, 10))) {
      const rule =
        'It must be a day such as 2026-01-31, or a time in UTC such as 2026-01-31T12:00:00Z.';
      throw new InvalidArgumentError(noSuchDay(text) ?? rule);
    }
    return end === 'last' && !text.includes('T') ? at + DAY_MS - 1 : at;
  };
}

function noSuchDay(text: string): string | undefined {
  const missing = missingDay(text);
  return missing && `There is no ${missing}.`;
}

/** Parses a day in UTC to days since the epoch. */
export function day(text: string): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse accepts 30 February.
  if (Number.isNaN(at) || !isoTime(at).startsWith(text)) {
    throw new InvalidArgumentError(noSuchDay(text) ?? 'It must be a day such as 2026-01-31.');
  }
  return at / DAY_MS;
}

/** Formats milliseconds since the epoch for programs. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Returns a copy for programs, in which the moments (the members `at` and `…At`) are texts. */
export function withIsoTimes<T extends object>(record: T): { [Name in keyof T]: unknown } {
  const members = Object.entries(record).map(([name, value]) => [
    name,
    /^at$|At$/.test(name) && typeof value === 'number' ? isoTime(value) : value,
  ]);
  return Object.fromEntries(members);
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

export function spendingLimit(text: string): number | 'none' {
  return text === 'none' ? text : wholeNumber(0, MAX_SPENDING_LIMIT)(text);
}

/** Parses a text that is not empty and has at most so many characters. */
export function atMost(most: number): (text: string) => string {
  return (text) => {
    if (text.length > most) {
      throw new InvalidArgumentError(`It must have at most ${most} characters.`);
    }
    return notEmpty(text);
  };
}
