import { StaveError } from '../../../common/errors.ts';
import { httpDate } from '../../../common/time.ts';

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

/** Request headers as Node represents them: lower-case names, repeated headers joined. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Whether the value of `If-Match` names an entity tag by strong comparison (RFC 9110 §13.1.1), in which a weak tag
 * equals none. `*` names every tag.
 */
function namesTag(ifMatch: string, etag: string): boolean {
  const isStrong = !etag.startsWith('W/');
  return ifMatch.trim() === '*' || (isStrong && entityTags(ifMatch).includes(etag));
}

/**
 * Returns the entity tags of a list, weak ones with their `W/`; ignores what is not a tag. A tag may contain
 * a comma.
 */
function entityTags(list: string): string[] {
  return list.match(/(?<![^\s,])(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
}

function tagOf(version: number): string {
  return `"${version}"`;
}

/**
 * Returns the headers of a response with an editable resource (docs/contract/http.md#editing). The tag names
 * the version, not the bytes, so the response must not be stored.
 */
export function versionHeaders(version: number): Record<string, string> {
  return { ETag: tagOf(version), 'Cache-Control': 'no-store' };
}

/** Throws `precondition_required` if a request does not say which version it changes. */
export function refuseWithoutVersion(headers: Headers): void {
  if (headers['if-match'] === undefined) {
    throw new StaveError(
      'precondition_required',
      'Send If-Match with the ETag of the version that you read, or with * for any version.',
    );
  }
}

/**
 * The tag of a version, or what a proxy that compresses made of it: nginx and Envoy weaken it, and Apache httpd and Caddy
 * add the name of the coding.
 */
const VERSION_TAG = /^(?:W\/)?"([0-9]+)(?:-(?:gzip|br|deflate|zstd))?"$/;

/**
 * Throws `precondition_failed`, with the current tag, if `If-Match` does not name the version of an editable resource. `*`
 * names every version.
 */
export function refuseOtherVersion(headers: Headers, version: number): void {
  const ifMatch = headerOf(headers, 'if-match') ?? '';
  const tags = entityTags(ifMatch);
  const isNamed = (tag: string) => VERSION_TAG.exec(tag)?.[1] === String(version);
  if (ifMatch.trim() === '*' || tags.some(isNamed)) return;
  throw new StaveError(
    'precondition_failed',
    tags.length === 0
      ? `If-Match must be * or the ETag with its quotation marks, such as ${tagOf(version)}.`
      : `The resource is at version ${version}; read it again, and send its ETag in If-Match.`,
    { headers: { ETag: tagOf(version) } },
  );
}
