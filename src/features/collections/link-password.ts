import { createHmac, timingSafeEqual } from 'node:crypto';
import { cookieValues } from '../../common/text/cookies.ts';
import { PasswordHashes, type StoredPassword } from '../access/password-hashes.ts';

/** Of passwords of links, apart from those of operators, so that guests do not delay their logins. */
export const linkPasswords = new PasswordHashes({ p: 1 });

/** The name of the cookie that opens a link. */
export function cookieName(linkId: string): string {
  return `__Host-stave-link-${linkId}`;
}

/** Returns the value of the cookie that opens a link until a time. A new password has another key, which ends cookies. */
export function cookieValue(linkId: string, password: StoredPassword, until: number): string {
  return `${until}.${macOf(linkId, password, until).toString('base64url')}`;
}

/** Whether a `Cookie` header has a valid cookie of the link. */
export function hasCookie(
  header: string | undefined,
  { id, password }: { id: string; password: StoredPassword },
  now: number,
): boolean {
  return cookieValues(header, cookieName(id)).some((value) => {
    const [, until, mac] = /^([0-9]{1,15})\.([A-Za-z0-9_-]{43})$/.exec(value) ?? [];
    if (until === undefined || Number(until) <= now) return false;
    return timingSafeEqual(
      Buffer.from(mac!, 'latin1'),
      Buffer.from(macOf(id, password, Number(until)).toString('base64url'), 'latin1'),
    );
  });
}

function macOf(linkId: string, { hash }: StoredPassword, until: number): Buffer {
  return createHmac('sha256', Buffer.from(hash, 'base64url'))
    .update(`cookie of link ${linkId} until ${until}`)
    .digest();
}
