import { MAX_URL_BYTES } from '../connection/request-guard.ts';
import { decoded } from '../input/query.ts';

/** Characters that a URI must not contain (RFC 3986); they could end the `<…>` of the header. */
const NO_URI_CHARACTERS = /[^!#$%&'()*+,./0-9:;=?@A-Z_a-z~[\]-]/g;

/** The parameters that say where a page begins. */
const PLACES: ReadonlySet<string | undefined> = new Set(['page', 'cursor', 'since']);

/**
 * Returns the `Link` from a page to the next one (RFC 8288): the URL of the request with another `page` or `cursor`,
 * below the public URL. Returns undefined if it would be longer than the longest URL of a request.
 *
 * @param url path and query as sent.
 * @param next the number of the next page, or its cursor, which contains only letters, digits and `._~-`.
 */
export function linkToNext(base: string, url: string, next: number | string): string | undefined {
  const [path, query = ''] = splitAtMark(url);
  const kept = query === '' ? [] : query.split('&').filter((pair) => !isPlace(pair));
  const place = typeof next === 'number' ? `page=${next}` : `cursor=${next}`;
  const target = `${path}?${[...kept, place].join('&')}`;
  const safe = target.replace(NO_URI_CHARACTERS, (character) => encodeURIComponent(character));
  return safe.length > MAX_URL_BYTES ? undefined : `<${base}${safe}>; rel="next"`;
}

function splitAtMark(url: string): string[] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** Whether the pair is to be removed: the place of the page, or an empty pair. */
function isPlace(pair: string): boolean {
  return pair === '' || PLACES.has(decoded(pair.split('=', 1)[0]!));
}
