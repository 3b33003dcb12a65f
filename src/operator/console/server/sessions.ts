import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, MINUTE_MS } from '../../../common/clock.ts';
import type { Operator, Role } from '../../../features/access/operator.ts';
import type { Html } from '../pages/html.ts';

/** A session that is not used for this time ends. */
const IDLE_MS = 60 * MINUTE_MS;
/** Every session ends after this time. */
export const SESSION_MS = 12 * 60 * MINUTE_MS;
/** A further login ends the oldest session of the operator. */
const MAX_OF_OPERATOR = 20;
const ID_BYTES = 32;

/** A message that the next page shows once. */
export interface Notice {
  kind: 'done' | 'problem' | 'secret';
  content: Html | string;
}

export interface Session {
  /** The SHA-256 of the cookie. */
  id: string;
  name: string;
  /** As of the present request. */
  role: Role;
  /** `sessionsId` of the operator at the start. */
  sessionsId: string;
  /** Whether a proxy has signed the operator in. */
  isOfProxy: boolean;
  /** The token that forms contain. */
  csrf: string;
  startedAt: number;
  usedAt: number;
  notices: Notice[];
}

/** The sessions of one process, in memory: they end with it. A cookie is a random number. */
export class Sessions {
  readonly #clock: Clock;
  /** In the order of their starts. */
  readonly #sessions = new Map<string, Session>();

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  /** Starts a session. Returns it with the value of its cookie. */
  start(
    { name, role, sessionsId }: Pick<Operator, 'name' | 'role' | 'sessionsId'>,
    { isOfProxy = false } = {},
  ): { session: Session; cookie: string } {
    this.#dropEnded();
    const [oldest, ...others] = this.#of(name);
    if (oldest !== undefined && others.length >= MAX_OF_OPERATOR - 1) this.end(oldest);
    const cookie = randomText();
    const now = this.#clock.now();
    const session: Session = {
      ...{ id: digestOf(cookie), name, role, sessionsId, isOfProxy, csrf: randomText() },
      ...{ startedAt: now, usedAt: now, notices: [] },
    };
    this.#sessions.set(session.id, session);
    return { session, cookie };
  }

  /** Returns the session of a cookie; undefined if it has ended or the cookie is not ours. */
  find(cookie: string): Session | undefined {
    const session = this.#sessions.get(digestOf(cookie));
    if (session === undefined || !this.#isOver(session)) return session;
    this.end(session);
    return undefined;
  }

  /** Makes a session last longer. */
  renew(session: Session): void {
    session.usedAt = this.#clock.now();
  }

  end({ id }: Session): void {
    this.#sessions.delete(id);
  }

  /** Whether an operator has a session that has not ended. */
  has({ name, sessionsId }: Pick<Operator, 'name' | 'sessionsId'>): boolean {
    return this.#of(name).some((one) => one.sessionsId === sessionsId && !this.#isOver(one));
  }

  #of(name: string): Session[] {
    return [...this.#sessions.values()].filter((one) => one.name === name);
  }

  #isOver({ startedAt, usedAt }: Session): boolean {
    const now = this.#clock.now();
    return now - usedAt >= IDLE_MS || now - startedAt >= SESSION_MS;
  }

  #dropEnded(): void {
    for (const session of this.#sessions.values()) {
      if (this.#isOver(session)) this.end(session);
    }
  }
}

/** Compares two texts in a time that does not depend on where they differ. */
export function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function randomText(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

function digestOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('base64url');
}
