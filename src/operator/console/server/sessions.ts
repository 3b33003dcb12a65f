import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, MINUTE_MS } from '../../../common/clock.ts';
import { sessionKeyOf } from '../../../features/access/console-password.ts';
import type { ConsolePassword } from '../../../features/access/store/console-store.ts';
import type { Html } from '../pages/html.ts';

/** A session that is not used for this time ends. */
const IDLE_MS = 30 * MINUTE_MS;
/** Every session ends after this time. */
export const SESSION_MS = 12 * 60 * MINUTE_MS;
/** A further login ends the oldest session. */
const MAX_SESSIONS = 100;
const ID_BYTES = 32;

/** A message that the next page shows once. */
export interface Notice {
  kind: 'done' | 'problem' | 'secret';
  content: Html | string;
}

export interface Session {
  id: string;
  /** The token that forms contain. */
  csrf: string;
  startedAt: number;
  usedAt: number;
  notices: Notice[];
}

/**
 * The sessions of one process, in memory: they end with it. A cookie is the id of a session, signed with a key that a new
 * password replaces.
 */
export class Sessions {
  readonly #clock: Clock;
  /** In the order of their starts. */
  readonly #sessions = new Map<string, Session>();

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  /** Starts a session. Returns the value of its cookie. */
  start(password: ConsolePassword): string {
    this.#dropEnded();
    const [oldest] = this.#sessions.size < MAX_SESSIONS ? [] : this.#sessions.keys();
    if (oldest !== undefined) this.#sessions.delete(oldest);
    const id = randomBytes(ID_BYTES).toString('base64url');
    const now = this.#clock.now();
    const csrf = randomBytes(ID_BYTES).toString('base64url');
    this.#sessions.set(id, { id, csrf, startedAt: now, usedAt: now, notices: [] });
    return `${id}.${signature(password, id)}`;
  }

  /**
   * Returns the session of a cookie; undefined if it has ended or the cookie is not ours.
   *
   * @param renews whether this use makes the session last longer; false for a page that refreshes itself
   */
  find(
    password: ConsolePassword,
    cookie: string,
    { renews }: { renews: boolean },
  ): Session | undefined {
    const [id = '', signed = ''] = cookie.split('.', 2);
    if (!isEqual(signed, signature(password, id))) return undefined;
    const session = this.#sessions.get(id);
    if (session === undefined || this.#isOver(session)) {
      this.#sessions.delete(id);
      return undefined;
    }
    if (renews) session.usedAt = this.#clock.now();
    return session;
  }

  end({ id }: Session): void {
    this.#sessions.delete(id);
  }

  #isOver({ startedAt, usedAt }: Session): boolean {
    const now = this.#clock.now();
    return now - usedAt >= IDLE_MS || now - startedAt >= SESSION_MS;
  }

  #dropEnded(): void {
    for (const session of this.#sessions.values()) {
      if (this.#isOver(session)) this.#sessions.delete(session.id);
    }
  }
}

/** Compares two texts in a time that does not depend on where they differ. */
export function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function signature(password: ConsolePassword, id: string): string {
  return createHmac('sha256', sessionKeyOf(password)).update(id).digest('base64url');
}

/**
 * Returns the cookie of a browser in which a login has succeeded: the id of the browser, signed with a key that a new
 * password replaces. Only somebody who knows the password gets the cookie.
 *
 * @param id the id that the browser has already
 */
export function deviceCookie(password: ConsolePassword, id?: string): string {
  const known = id ?? randomBytes(ID_BYTES).toString('base64url');
  return `${known}.${deviceSignature(password, known)}`;
}

/** Returns the id of the browser with this cookie; undefined if the cookie is not ours. */
export function deviceOf(password: ConsolePassword, cookie = ''): string | undefined {
  const [id = '', signed = ''] = cookie.split('.', 2);
  return isEqual(signed, deviceSignature(password, id)) ? id : undefined;
}

function deviceSignature(password: ConsolePassword, id: string): string {
  // The id of a session has no space, so that its signature is never one of a device.
  return signature(password, `device ${id}`);
}
