import type { Actor } from '../../common/caller.ts';
import { type Clock, DAY_MS } from '../../common/clock.ts';
import { checkedName, checkedRole, endedLink, FIRST_OPERATOR, type Operator } from './operator.ts';
import { checkedPassword, hashPassword } from './passwords.ts';
import { hashSecret, newLinkToken } from './secret.ts';
import type { OperatorStore, PasswordLink } from './store/operator-store.ts';

const LINK_MS = 7 * DAY_MS;

interface Context {
  store: { operators: OperatorStore };
  clock: Clock;
  by: Actor;
}

/** Also of a change that may take an owner away. */
interface OwnerContext extends Omit<Context, 'clock'> {
  config: { consoleUserHeader: string | null };
}

/** Whether a proxy signs operators in. */
function hasProxy({ config }: OwnerContext): boolean {
  return config.consoleUserHeader !== null;
}

/** An operator as people and programs see one: without hashes. */
export type OperatorRecord = ReturnType<typeof recordOf>;

export function recordOf(operator: Operator) {
  const { name, role, enabled, password, createdAt, lastLoginAt, linkExpiresAt } = operator;
  const hasPassword = password !== null;
  return { name, role, enabled, hasPassword, createdAt, lastLoginAt, linkExpiresAt };
}

/** An operator with a new link to set a password, which nothing shows again. */
export interface LinkedOperator extends OperatorRecord {
  /** The end of the link: a path with a token. Null without a link. */
  linkPath: string | null;
}

/** @param given.hasLink false if passwords are off */
export async function addOperator(
  { store, clock, by }: Context,
  given: { name: string; role: string; hasLink: boolean },
): Promise<LinkedOperator> {
  const [name, role] = [checkedName(given.name), checkedRole(given.role)];
  const made = given.hasLink ? newLink(clock) : undefined;
  const added = await store.operators.add({ name, role, link: made?.link ?? null }, by);
  return { ...recordOf(added), linkPath: made?.path ?? null };
}

/** Makes a new link, and ends the former one. Wrong passwords that were given before no longer count. */
export async function resetOperator(
  { store, clock, by }: Context,
  name: string,
): Promise<LinkedOperator> {
  const { link, path } = newLink(clock);
  const reset = await store.operators.reset(checkedName(name), link, by);
  return { ...recordOf(reset), linkPath: path };
}

export async function changeOperator(
  context: OwnerContext,
  name: string,
  { role, enabled }: { role?: string; enabled?: boolean },
): Promise<OperatorRecord> {
  const change = {
    ...(role !== undefined && { role: checkedRole(role) }),
    ...(enabled !== undefined && { enabled }),
  };
  const how = { by: context.by, hasProxy: hasProxy(context) };
  return recordOf(await context.store.operators.change(checkedName(name), change, how));
}

export async function removeOperator(context: OwnerContext, name: string): Promise<void> {
  const how = { by: context.by, hasProxy: hasProxy(context) };
  await context.store.operators.remove(checkedName(name), how);
}

/** Sets the password of the owner `console`. Throws OperatorError for an unusable password. */
export async function setConsolePassword(
  { store, by }: Pick<Context, 'store' | 'by'>,
  password: string,
): Promise<void> {
  const stored = await hashPassword(checkedPassword(password, FIRST_OPERATOR));
  await store.operators.setFirstPassword(stored, by);
}

/**
 * Sets a password by a link. Throws not_found if the link has ended, before it hashes anything, and OperatorError for an
 * unusable password.
 */
export async function setPasswordByLink(
  { store }: { store: { operators: Pick<OperatorStore, 'ofLink' | 'setPasswordByLink'> } },
  token: string,
  password: string,
): Promise<void> {
  const linkHash = hashSecret(token);
  const operator = await store.operators.ofLink(linkHash);
  if (operator === undefined) throw endedLink();
  const stored = await hashPassword(checkedPassword(password, operator.name));
  await store.operators.setPasswordByLink(linkHash, stored);
}

/**
 * Replaces the password of an operator who has just given it, and ends the sessions. Throws OperatorError for an unusable
 * password, and conflict if the sessions have ended meanwhile.
 */
export async function setOwnPassword(
  { store }: { store: { operators: Pick<OperatorStore, 'setOwnPassword'> } },
  operator: Operator,
  password: string,
): Promise<Operator> {
  const stored = await hashPassword(checkedPassword(password, operator.name));
  return store.operators.setOwnPassword(operator, stored);
}

/** The token is in the fragment, which browsers do not send, so that no log contains it. */
function newLink(clock: Clock): { link: PasswordLink; path: string } {
  const token = newLinkToken();
  const link = { linkHash: hashSecret(token), linkExpiresAt: clock.now() + LINK_MS };
  return { link, path: `/set-password#${token}` };
}
