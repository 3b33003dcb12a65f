import type { Mode, Scope, SeatRole } from '../../common/caller.ts';
import { DAY_MS, HOUR_MS } from '../../common/clock.ts';
import { type FieldProblem, StaveError } from '../../common/errors.ts';
import { nameKey } from './client.ts';

/** A person of a client, who signs in by links. */
export interface Seat {
  id: string;
  name: string;
  role: SeatRole;
  mode: Mode;
  enabled: boolean;
  /** In milliseconds since the epoch. */
  createdAt: number;
}

/** A seat for the operator. */
export interface SeatRecord extends Seat {
  clientId: string;
  /** The last sign-in, or request for a token or with one; null if there was none. */
  lastUsedAt: number | null;
  /** The browsers that are signed in. */
  sessions: number;
  /** The end of the unused link; null without one. */
  linkExpiresAt: number | null;
}

export type SeatChange = Partial<Pick<Seat, 'name' | 'role' | 'mode'>>;

/** The stored form of a sign-in link. */
export interface SignInLink {
  hash: string;
  expiresAt: number;
}

/** A browser that is signed in. */
export interface ClientSession {
  /** In the tokens that it gives. A lower role and another mode of the seat replace it. */
  id: string;
  /** The id of the seat or of the secret. */
  holderId: string;
  /** Of the cookie: 64 hex digits. */
  hash: string;
  expiresAt: number;
}

const MAX_SEATS = 200;
const MAX_NAME_LENGTH = 80;

const LINK_MS = 7 * DAY_MS;
const SHORTEST_LINK_MS = HOUR_MS;
const LONGEST_LINK_MS = 30 * DAY_MS;

/** The greatest number of sessions of a seat, or of a secret. A further one ends the oldest. */
export const MAX_SESSIONS = 20;
/** A session of a seat ends when it was not used for so long. */
export const SEAT_SESSION_MS: number = 90 * DAY_MS;
/** A session of a secret ends after so long. */
export const SECRET_SESSION_MS: number = 30 * DAY_MS;
export const SESSION_TOKEN_SECONDS = 600;

const NOT_FOR_SESSIONS: readonly Scope[] = ['webhooks', 'changes', 'usage'];
const NOT_FOR_LISTENERS: readonly Scope[] = ['licensing'];

/** Whether a token of a session may have a scope. */
export function isSessionScope(scope: Scope, role: SeatRole | undefined): boolean {
  if (NOT_FOR_SESSIONS.includes(scope)) return false;
  return role !== 'listener' || !NOT_FOR_LISTENERS.includes(scope);
}

/** Returns the name as it is stored. Throws invalid_request. */
export function seatName(given: string): string {
  const name = given.normalize('NFC').trim();
  // Controls, ends of lines, and characters that show a name in another order.
  const isBad = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(name);
  if (name === '' || [...name].length > MAX_NAME_LENGTH || isBad) {
    throw invalid({
      field: 'name',
      message: `must have 1 to ${MAX_NAME_LENGTH} characters, and none that control lines or directions.`,
    });
  }
  return name;
}

/** Returns the time at which a link ends. Throws invalid_request. */
export function endOfLink(now: number, validMs: number = LINK_MS): number {
  if (!(validMs >= SHORTEST_LINK_MS && validMs <= LONGEST_LINK_MS)) {
    throw invalid({ field: 'valid', message: 'must be from 1 hour to 30 days.' });
  }
  return now + validMs;
}

/** Throws conflict if another seat of the client has the name, in any case. */
export function refuseKnownSeat(name: string, others: readonly Pick<Seat, 'name'>[]): void {
  if (!others.some((other) => nameKey(other.name) === nameKey(name))) return;
  throw new StaveError(
    'conflict',
    `The client has a seat with the name ${JSON.stringify(name)} already.`,
  );
}

/** Throws conflict if the client has the most seats. */
export function refuseExcessSeat(count: number): void {
  if (count < MAX_SEATS) return;
  throw new StaveError(
    'conflict',
    `The client has ${MAX_SEATS} seats, the greatest number allowed; remove one first.`,
  );
}

export function unknownSeat(id: string): StaveError {
  return new StaveError(
    'not_found',
    `There is no seat ${id}; \`stave seats list\` shows them all.`,
  );
}

/** Throws conflict. */
export function refuseDisabled({ name, enabled }: Pick<Seat, 'name' | 'enabled'>): void {
  if (enabled) return;
  throw new StaveError(
    'conflict',
    `The seat ${JSON.stringify(name)} is disabled; enable it first.`,
  );
}

function invalid(problem: FieldProblem): StaveError {
  return new StaveError('invalid_request', 'The seat has invalid values.', { details: [problem] });
}
