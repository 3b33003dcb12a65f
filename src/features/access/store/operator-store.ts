import type { Actor } from '../../../common/caller.ts';
import { newId } from '../../../common/ids.ts';
import type { Queries } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import {
  actorOf,
  endedLink,
  endedSession,
  endsOwner,
  FIRST_OPERATOR,
  knownOperator,
  type Operator,
  type Role,
  reaches,
  refuseExcessOperators,
  refuseLastOwner,
  unknownOperator,
} from '../operator.ts';
import type { StoredPassword } from '../password-hashes.ts';

const COLUMNS = [
  'name',
  'role',
  'enabled',
  'password',
  'sessionsId',
  'linkHash',
  'linkExpiresAt',
  'createdAt',
  'lastLoginAt',
] as const;

/** Where earlier versions keep the password of the console. */
const FORMER_SETTING = 'console_password';

/** The actor of logins that failed. */
const NOBODY: Actor = 'system:console';

/** A link to set a password. */
export interface PasswordLink {
  linkHash: string;
  linkExpiresAt: number;
}

/** Who makes a change that may take an owner away. */
interface OwnerCause {
  by: Actor;
  /** Whether a proxy signs operators in, so that they need no password. */
  hasProxy: boolean;
}

/** The people who use the console. Unknown names throw not_found. */
export class OperatorStore extends SqlStore {
  /** Ordered by name. */
  all(): Promise<Operator[]> {
    return allOf(this.database.queries);
  }

  async get(name: string): Promise<Operator | undefined> {
    const row = await this.database.queries
      .selectFrom('operators')
      .select(COLUMNS)
      .where('name', '=', name)
      .executeTakeFirst();
    return row && operatorOf(row);
  }

  /** Returns the operator with this link, if it can be used. */
  ofLink(linkHash: string): Promise<Operator | undefined> {
    return ofLink(this.database.queries, linkHash, this.clock.now());
  }

  /** Throws conflict for a name that is in use, and above MAX_OPERATORS. */
  add(
    { name, role, link }: { name: string; role: Role; link: PasswordLink | null },
    by: Actor,
  ): Promise<Operator> {
    return this.database.write(async ({ queries, log }) => {
      const all = await allOf(queries);
      if (all.some((one) => one.name === name)) throw knownOperator(name);
      refuseExcessOperators(all);
      const added = await insert(queries, { name, role, ...link, createdAt: this.clock.now() });
      await log('operator', [['added', name]], { by, batchId: null });
      return added;
    });
  }

  /**
   * Changes a role, or whether the operator is enabled. A lower role and disabling end the sessions, and disabling the link.
   * Logs actual differences only. Throws conflict if no owner were left who can sign in.
   */
  change(
    name: string,
    change: Partial<Pick<Operator, 'role' | 'enabled'>>,
    { by, hasProxy }: OwnerCause,
  ): Promise<Operator> {
    return this.database.write(async ({ queries, log }) => {
      const all = await allOf(queries);
      const before = found(all, name);
      const after = { ...before, ...change };
      if (endsOwner(before, after)) refuseLastOwner(all, name, { hasProxy });
      if (!after.enabled || !reaches(after.role, before.role)) after.sessionsId = newId();
      if (!after.enabled) Object.assign(after, NO_LINK);
      await update(queries, after);
      const kinds = [
        ...(before.role === after.role ? [] : (['updated'] as const)),
        ...(before.enabled === after.enabled ? [] : [stateOf(after)]),
      ];
      const changes = kinds.map((kind) => [kind, name] as const);
      await log('operator', changes, { by, batchId: null });
      return after;
    });
  }

  /** Ends the sessions. Throws conflict for the last owner who can sign in. */
  remove(name: string, { by, hasProxy }: OwnerCause): Promise<void> {
    return this.database.write(async ({ queries, log }) => {
      const all = await allOf(queries);
      if (endsOwner(found(all, name), undefined)) refuseLastOwner(all, name, { hasProxy });
      await queries.deleteFrom('operators').where('name', '=', name).execute();
      await forgetFormer(queries, name);
      await log('operator', [['removed', name]], { by, batchId: null });
    });
  }

  /** Replaces the link. The password and the sessions stay until it is used. */
  reset(name: string, link: PasswordLink, by: Actor): Promise<Operator> {
    return this.database.write(async ({ queries, log }) => {
      const after = { ...found(await allOf(queries), name), ...link };
      await update(queries, after);
      await log('operator', [['reset', name]], { by, batchId: null });
      return after;
    });
  }

  /** Sets the password of FIRST_OPERATOR, which it creates as an owner if it is missing. Ends the sessions and the link. */
  setFirstPassword(password: StoredPassword, by: Actor): Promise<void> {
    const name = FIRST_OPERATOR;
    return this.database.write(async ({ queries, log }) => {
      const all = await allOf(queries);
      let first = all.find((one) => one.name === name);
      if (first === undefined) {
        refuseExcessOperators(all);
        first = await insert(queries, { name, role: 'owner', createdAt: this.clock.now() });
        await log('operator', [['added', name]], { by, batchId: null });
      }
      await setPassword(queries, first, password);
      await log('console', [['password_set', name]], { by, batchId: null });
    });
  }

  /** Sets the password of the operator with this link, which ends with it, as the sessions do. Throws not_found. */
  setPasswordByLink(linkHash: string, password: StoredPassword): Promise<void> {
    return this.database.write(async ({ queries, log }) => {
      const before = await ofLink(queries, linkHash, this.clock.now());
      if (before === undefined) throw endedLink();
      await setPassword(queries, before, password);
      const cause = { by: actorOf(before), batchId: null };
      await log('console', [['password_set', before.name]], cause);
    });
  }

  /**
   * Sets the password of an operator who is signed in. Ends the link and, on all nodes, the sessions. Throws conflict if these
   * have ended meanwhile: the operator whom the caller has read may not be that of now.
   */
  setOwnPassword(
    { name, sessionsId }: Pick<Operator, 'name' | 'sessionsId'>,
    password: StoredPassword,
  ): Promise<Operator> {
    return this.database.write(async ({ queries, log }) => {
      const before = found(await allOf(queries), name);
      if (before.sessionsId !== sessionsId) throw endedSession();
      const after = await setPassword(queries, before, password);
      await log('console', [['password_set', name]], { by: actorOf(before), batchId: null });
      return after;
    });
  }

  /**
   * Logs that an operator has logged in, or that somebody failed to do so in this name: that is not a deed of the operator.
   * Ignores an operator who was removed.
   */
  logLogin(name: string, kind: 'logged_in' | 'login_failed'): Promise<void> {
    return this.database.write(async ({ queries, log }) => {
      if (kind === 'logged_in') {
        await queries
          .updateTable('operators')
          .set({ lastLoginAt: this.clock.now() })
          .where('name', '=', name)
          .execute();
      }
      const by = kind === 'logged_in' ? actorOf({ name }) : NOBODY;
      await log('console', [[kind, name]], { by, batchId: null });
    });
  }

  /** Ends all links and, on all nodes, all sessions. Logs nothing. */
  async endLinksAndSessions(): Promise<void> {
    await this.database.write(({ queries }) =>
      queries
        .updateTable('operators')
        .set({ ...NO_LINK, sessionsId: newId() })
        .execute(),
    );
  }
}

const NO_LINK = { linkHash: null, linkExpiresAt: null };

type Row = Omit<Operator, 'password'> & { password: string | null };

function operatorOf({ password, ...row }: Row): Operator {
  return { ...row, password: password === null ? null : JSON.parse(password) };
}

function rowOf({ password, ...operator }: Operator): Row {
  return { ...operator, password: password && JSON.stringify(password) };
}

async function allOf(queries: Queries): Promise<Operator[]> {
  const rows = await queries.selectFrom('operators').select(COLUMNS).orderBy('name').execute();
  return rows.map(operatorOf);
}

async function ofLink(
  queries: Queries,
  linkHash: string,
  now: number,
): Promise<Operator | undefined> {
  const row = await queries
    .selectFrom('operators')
    .select(COLUMNS)
    .where('linkHash', '=', linkHash)
    .executeTakeFirst();
  const isUsable = row?.enabled === true && (row.linkExpiresAt ?? 0) > now;
  return isUsable ? operatorOf(row) : undefined;
}

function found(all: readonly Operator[], name: string): Operator {
  const one = all.find((other) => other.name === name);
  if (one === undefined) throw unknownOperator(name);
  return one;
}

async function insert(
  queries: Queries,
  given: Pick<Operator, 'name' | 'role' | 'createdAt'> & Partial<PasswordLink>,
): Promise<Operator> {
  const operator: Operator = {
    ...{ enabled: true, password: null, sessionsId: newId(), lastLoginAt: null },
    ...NO_LINK,
    ...given,
  };
  await queries.insertInto('operators').values(rowOf(operator)).execute();
  return operator;
}

async function update(queries: Queries, operator: Operator): Promise<void> {
  const { name, ...columns } = rowOf(operator);
  await queries.updateTable('operators').set(columns).where('name', '=', name).execute();
}

async function setPassword(
  queries: Queries,
  before: Operator,
  password: StoredPassword,
): Promise<Operator> {
  const after = { ...before, ...NO_LINK, password, sessionsId: newId() };
  await update(queries, after);
  await forgetFormer(queries, before.name);
  return after;
}

/** A former password must not count again for a program of the previous version. */
async function forgetFormer(queries: Queries, name: string): Promise<void> {
  if (name !== FIRST_OPERATOR) return;
  await queries.deleteFrom('settings').where('name', '=', FORMER_SETTING).execute();
}

function stateOf({ enabled }: Operator): 'enabled' | 'disabled' {
  return enabled ? 'enabled' : 'disabled';
}
