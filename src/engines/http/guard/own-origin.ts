import { StaveError } from '../../../common/errors.ts';
import { isLoopback } from '../../../common/loopback.ts';
import type { ApiRequest } from '../route/route.ts';
import { hostUrl } from './host-names.ts';

type Called = Pick<ApiRequest, 'headers' | 'protocol'>;

/**
 * Throws forbidden unless a browser says that a page of this service has sent the request
 * (docs/contract/authentication.md#tokens-of-sessions). What it says must agree, and it must say something.
 *
 * @param publicUrl STAVE_PUBLIC_URL; null if it is not set
 */
export function refuseOtherOrigin(request: Called, publicUrl: string | null): void {
  const { 'sec-fetch-site': site, origin } = request.headers;
  const isOwn =
    (site === undefined || site === 'same-origin') &&
    (origin === undefined || isOwnOrigin(String(origin), request, publicUrl)) &&
    (site !== undefined || origin !== undefined);
  if (isOwn) return;
  throw new StaveError(
    'forbidden',
    `Only the pages of this service may send this request; the browser says by Sec-Fetch-Site or Origin that another page has sent it, or says nothing.${publicUrl === null ? ' If it was a page of this service, its operator must set STAVE_PUBLIC_URL to the address that browsers show.' : ''}`,
  );
}

function isOwnOrigin(
  origin: string,
  { headers, protocol }: Called,
  publicUrl: string | null,
): boolean {
  if (publicUrl !== null) return origin === new URL(publicUrl).origin;
  const called = hostUrl(String(headers.host), protocol());
  const from = URL.parse(origin);
  if (called === null || from === null || origin !== from.origin) return false;
  return placeOf(called) === placeOf(from);
}

/** Protocol, host and port, in which all names of loopback are alike. */
function placeOf({ protocol, hostname, port }: URL): string {
  return `${protocol}//${isLoopback(hostname) ? 'localhost' : hostname}:${port}`;
}
