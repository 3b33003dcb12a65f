import { createHmac, randomBytes } from 'node:crypto';
import { type ConsolePassword, sessionKeyOf } from '../../../features/access/console-password.ts';
import { isEqual } from './sessions.ts';

const ID_BYTES = 32;

/**
 * Returns the cookie of a browser in which a login has succeeded: the id of the browser, signed with a key that a new
 * password replaces. Only who knows the password gets one, so a guesser has none.
 *
 * @param id the id that the browser has already
 */
export function deviceCookie(password: ConsolePassword, id?: string): string {
  const known = id ?? randomBytes(ID_BYTES).toString('base64url');
  return `${known}.${signature(password, known)}`;
}

/** Returns the id of the browser with this cookie; undefined if the cookie is not ours. */
export function deviceOf(password: ConsolePassword, cookie = ''): string | undefined {
  const [id = '', signed = ''] = cookie.split('.', 2);
  return isEqual(signed, signature(password, id)) ? id : undefined;
}

function signature(password: ConsolePassword, id: string): string {
  // The id of a session has no space, so that its signature is never one of a device.
  return createHmac('sha256', sessionKeyOf(password)).update(`device ${id}`).digest('base64url');
}
