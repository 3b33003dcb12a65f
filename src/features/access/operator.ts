import type { Actor } from '../../common/caller.ts';
import { OperatorError, StaveError } from '../../common/errors.ts';
import type { StoredPassword } from './password-hashes.ts';

/** What people of the licensor may do: each role may do what the ones before it may. */
export const ROLES = ['viewer', 'operator', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** A person who uses the console. */
export interface Operator {
  /** In lower case and NFC. It identifies the operator, also in the change log and in the header of a proxy. */
  name: string;
  role: Role;
  enabled: boolean;
  /** Null until the operator has set one. */
  password: StoredPassword | null;
  /** Sessions belong to one value: a new value ends them. */
  sessionsId: string;
  /** The SHA-256 of the token of the link to set a password; null without a link. */
  linkHash: string | null;
  linkExpiresAt: number | null;
  createdAt: number;
  lastLoginAt: number | null;
}

/** The operator of whom an installation had the only password of the console. */
export const FIRST_OPERATOR = 'console';
const MAX_OPERATORS = 200;
export const MAX_NAME = 80;
/** Names that people and identity providers use, such as addresses of e-mail and `auth0|5f7c`. */
const NAME = /^[\p{L}\p{M}\p{N}._@+|\\-]+(?: [\p{L}\p{M}\p{N}._@+|\\-]+)*$/u;

/** The role in which somebody may do what needs at least another one. */
export function reaches(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** Returns the form in which names are stored and compared. */
export function normalName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Throws OperatorError for a text that cannot be a name. */
export function checkedName(text: string): string {
  const name = normalName(text);
  if ([...name].length > MAX_NAME || !NAME.test(name)) {
    throw new OperatorError(
      `the name of an operator must have 1 to ${MAX_NAME} letters, digits, spaces and . _ @ + | \\ -`,
    );
  }
  return name;
}

/** Throws OperatorError for an unknown role. */
export function checkedRole(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new OperatorError(`the role must be ${ROLES.join(', ')}`);
  return role;
}

/** The actor of the changes that an operator makes in the console. */
export function actorOf({ name }: Pick<Operator, 'name'>): Actor {
  return `${FIRST_OPERATOR}:${name}`;
}

export function unknownOperator(name: string): StaveError {
  return new StaveError('not_found', `There is no operator ${JSON.stringify(name)}.`);
}

export function knownOperator(name: string): StaveError {
  return new StaveError('conflict', `There is an operator ${JSON.stringify(name)} already.`);
}

/** For a link that is unknown, used, replaced or too old, or whose operator is disabled: nobody learns which. */
export function endedLink(): StaveError {
  return new StaveError('not_found', 'This link has ended: ask an owner for a new one.');
}

export function endedSession(): StaveError {
  return new StaveError('conflict', 'Your session has ended meanwhile, so nothing was saved.');
}

/** Whether this change takes from an owner what only an owner may do. */
export function endsOwner(before: Operator, after: Operator | undefined): boolean {
  const isOwner = (one: Operator | undefined) => one?.role === 'owner' && one.enabled;
  return isOwner(before) && !isOwner(after);
}

/**
 * Throws conflict if no other owner could sign in, or if that is so already, if there were no other owner.
 *
 * @param all before the change
 * @param how.hasProxy whether a proxy signs operators in, so that they need no password
 */
export function refuseLastOwner(
  all: readonly Operator[],
  name: string,
  { hasProxy }: { hasProxy: boolean },
): void {
  const owners = all.filter(({ role, enabled }) => role === 'owner' && enabled);
  const others = owners.filter((one) => one.name !== name);
  const canSignIn = ({ password }: Operator) => hasProxy || password !== null;
  const isEnough = owners.some(canSignIn) ? others.some(canSignIn) : others.length > 0;
  if (isEnough) return;
  const last = JSON.stringify(name);
  throw new StaveError(
    'conflict',
    others.length === 0
      ? `${last} is the last owner: make another operator an owner first.`
      : `${last} is the last owner who can sign in: ${others.map((one) => JSON.stringify(one.name)).join(', ')} must set a password by a link first.`,
  );
}

export function refuseExcessOperators(all: readonly Operator[]): void {
  if (all.length < MAX_OPERATORS) return;
  throw new StaveError('conflict', `There are ${MAX_OPERATORS} operators: remove one first.`);
}
