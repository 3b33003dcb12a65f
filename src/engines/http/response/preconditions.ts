import { httpDate } from '../../../common/time/http-date.ts';
import { entityTags, type Headers, headerOf, namesTag } from './entity-tags.ts';

/** What identifies a representation. */
export interface Validators {
  /** An entity tag with its quotes: `"abc"`, or a weak one: `W/"abc"`. */
  etag: string;
  /**
   * Milliseconds since the epoch, in whole seconds; undefined if the representation has no date.
   */
  modifiedMs: number | undefined;
}

/** 412, 304, or proceed; `proceed-whole` ignores the `Range` header because of `If-Range`. */
export type Precondition = 'failed' | 'not-modified' | 'proceed' | 'proceed-whole';

/** Evaluates the conditions of a GET or HEAD in the order of RFC 9110 §13.2.2. */
export function evaluatePreconditions(headers: Headers, validators: Validators): Precondition {
  if (matchFails(headers, validators)) {
    return 'failed';
  }
  if (isUnchanged(headers, validators)) {
    return 'not-modified';
  }
  return isRangeFresh(headers, validators) ? 'proceed' : 'proceed-whole';
}

/** Evaluates `If-Match` (§13.1.1), or if absent, `If-Unmodified-Since` (§13.1.4). */
function matchFails(headers: Headers, { etag, modifiedMs }: Validators): boolean {
  const ifMatch = headerOf(headers, 'if-match');
  if (ifMatch !== undefined) {
    return !namesTag(ifMatch, etag);
  }
  const since = date(headers, 'if-unmodified-since');
  return since !== undefined && modifiedMs !== undefined && modifiedMs > since;
}

/**
 * Evaluates `If-None-Match` (§13.1.2, weak comparison), or if absent, `If-Modified-Since`
 * (§13.1.3).
 */
function isUnchanged(headers: Headers, { etag, modifiedMs }: Validators): boolean {
  const ifNoneMatch = headerOf(headers, 'if-none-match');
  if (ifNoneMatch !== undefined) {
    return (
      ifNoneMatch.trim() === '*' ||
      entityTags(ifNoneMatch).some((tag) => opaque(tag) === opaque(etag))
    );
  }
  const since = date(headers, 'if-modified-since');
  return since !== undefined && modifiedMs !== undefined && modifiedMs <= since;
}

/**
 * Evaluates `If-Range` (§13.1.5): the range applies if the strong tag or the exact date matches.
 */
function isRangeFresh(headers: Headers, { etag, modifiedMs }: Validators): boolean {
  const ifRange = headerOf(headers, 'if-range')?.trim();
  if (ifRange === undefined || ifRange === etag) {
    return true;
  }
  const at = httpDate(ifRange);
  return at !== undefined && at === modifiedMs;
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}

function date(headers: Headers, name: string): number | undefined {
  const text = headerOf(headers, name);
  return text === undefined ? undefined : httpDate(text.trim());
}
