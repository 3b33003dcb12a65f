import { StaveError } from '../../../common/errors.ts';
import { hostUrl } from './host-names.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Where the pages of the service are. */
export interface OwnAddress {
  /** STAVE_PUBLIC_URL; null if it is not set. */
  publicUrl: string | null;
  /** Whether the service itself serves HTTPS. */
  isTls: boolean;
}

/**
 * Throws forbidden unless a browser says that a page of this service has sent the request
 * (docs/contract/authentication.md#tokens-of-sessions). What it says must agree, and it must say something.
 */
export function refuseOtherOrigin(headers: Headers, own: OwnAddress): void {
  const { 'sec-fetch-site': site, origin } = headers;
  const isOwn =
    (site === undefined || site === 'same-origin') &&
    (origin === undefined || isOwnOrigin(String(origin), String(headers.host), own)) &&
    (site !== undefined || origin !== undefined);
  if (isOwn) return;
  throw new StaveError(
    'forbidden',
    'Only the pages of this service may send this request; the browser says by Sec-Fetch-Site or Origin that another page has sent it, or says nothing.',
  );
}

function isOwnOrigin(origin: string, host: string, { publicUrl, isTls }: OwnAddress): boolean {
  if (publicUrl !== null) return origin === new URL(publicUrl).origin;
  const called = hostUrl(host, isTls ? 'https:' : 'http:');
  const from = URL.parse(origin);
  if (called === null || from === null || origin !== from.origin) return false;
  return placeOf(called) === placeOf(from);
}

/** Protocol, host and port, in which all names of loopback are alike. */
function placeOf({ protocol, hostname, port }: URL): string {
  const isLoopback =
    hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
  return `${protocol}//${isLoopback ? 'localhost' : hostname}:${port}`;
}
