import { httpDate } from './http-date.ts';

/** Request headers as Node gives them: names in lower case, repeated ones joined. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What a representation can be told by. */
export interface Validators {
  /** A strong entity tag with its quotes: `"abc"`. */
  etag: string;
  /** Milliseconds since the epoch, whole seconds; undefined where the representation has no date. */
  modifiedMs: number | undefined;
}

/** 412, 304, or go on, with the `Range` header honoured or (an `If-Range` that does not hold) not. */
export type Precondition = 'failed' | 'not-modified' | 'proceed' | 'proceed-whole';

/** What the conditions of a GET or HEAD make of the answer, in the order of RFC 9110 §13.2.2. */
export function evaluatePreconditions(headers: Headers, validators: Validators): Precondition {
  if (matchFails(headers, validators)) {
    return 'failed';
  }
  if (isUnchanged(headers, validators)) {
    return 'not-modified';
  }
  return isRangeFresh(headers, validators) ? 'proceed' : 'proceed-whole';
}

/** `If-Match` (§13.1.1), or `If-Unmodified-Since` (§13.1.4) where there is none. */
function matchFails(headers: Headers, { etag, modifiedMs }: Validators): boolean {
  const ifMatch = one(headers, 'if-match');
  if (ifMatch !== undefined) {
    return ifMatch.trim() !== '*' && !entityTags(ifMatch).includes(etag);
  }
  const since = date(headers, 'if-unmodified-since');
  return since !== undefined && modifiedMs !== undefined && modifiedMs > since;
}

/** `If-None-Match` (§13.1.2, weak comparison), or `If-Modified-Since` (§13.1.3) where there is none. */
function isUnchanged(headers: Headers, { etag, modifiedMs }: Validators): boolean {
  const ifNoneMatch = one(headers, 'if-none-match');
  if (ifNoneMatch !== undefined) {
    return (
      ifNoneMatch.trim() === '*' ||
      entityTags(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag)
    );
  }
  const since = date(headers, 'if-modified-since');
  return since !== undefined && modifiedMs !== undefined && modifiedMs <= since;
}

/** `If-Range` (§13.1.5): a strong tag that is ours, or exactly our date; anything else makes the range stale. */
function isRangeFresh(headers: Headers, { etag, modifiedMs }: Validators): boolean {
  const ifRange = one(headers, 'if-range')?.trim();
  if (ifRange === undefined || ifRange === etag) {
    return true;
  }
  const at = httpDate(ifRange);
  return at !== undefined && at === modifiedMs;
}

/** The entity tags of a list, as they stand; what is no tag is passed over. A tag may hold a comma. */
function entityTags(list: string): string[] {
  return list.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
}

function date(headers: Headers, name: string): number | undefined {
  const text = one(headers, name);
  return text === undefined ? undefined : httpDate(text.trim());
}

function one(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
