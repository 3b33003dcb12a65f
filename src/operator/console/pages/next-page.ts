const BASE = 'http://console.invalid';
const MAX_LENGTH = 1_000;

/**
 * Returns the path and query of a page of the console, to which a login leads; `/` for anything else, such as an address
 * of another site.
 */
export function nextPage(given: string | null | undefined): string {
  const url = given == null || given.length > MAX_LENGTH ? null : URL.parse(given, BASE);
  // A browser takes the text after two slashes for a host.
  if (url === null || url.origin !== BASE || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search;
}

/** Returns the address of the login that leads to a page, with what the login is to explain. */
export function loginPath(next: string, { isUnsaved = false, isUnkept = false } = {}): string {
  const query = new URLSearchParams({
    ...(next !== '/' && { next }),
    ...(isUnsaved && { unsaved: '1' }),
    ...(isUnkept && { unkept: '1' }),
  });
  return query.size === 0 ? '/login' : `/login?${query}`;
}
