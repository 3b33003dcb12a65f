import { describe, expect, it } from 'vitest';
import {
  addOperator,
  changeOperator,
  removeOperator,
  resetOperator,
  setConsolePassword,
  setOwnPassword,
  setPasswordByLink,
} from '../../src/features/access/operators.ts';
import { isPassword } from '../../src/features/access/passwords.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

const DAY = 24 * 60 * 60;
const PASSWORD = 'correct horse battery';

for (const adapter of ADAPTERS) {
  describe(`operators on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    async function opened() {
      const { store, clock, another } = await open();
      const context = { store, clock, by: 'cli:anna', config: { consoleUserHeader: null } };
      const add = (name: string, role = 'owner') =>
        addOperator(context, { name, role, hasLink: true });
      const token = async (name: string, role?: string) =>
        (await add(name, role)).linkPath!.split('#')[1]!;
      return { store, clock, another, context, add, token };
    }

    it('are added with a link, listed by name, and found without regard to case', async () => {
      const { store, add } = await opened();
      const { linkPath, linkExpiresAt, createdAt } = await add('Ben@Example.com', 'viewer');
      expect(linkPath).toMatch(/^\/set-password#[0-9A-Za-z]{22}$/);
      expect(linkExpiresAt! - createdAt).toBe(7 * DAY * 1_000);
      await add('anna');
      const all = await store.operators.all();
      expect(all.map(({ name }) => name)).toEqual(['anna', 'ben@example.com']);
      expect(JSON.stringify(all)).not.toContain(linkPath!.split('#')[1]);
      await expect(add('ANNA')).rejects.toMatchObject({ kind: 'conflict' });
    });

    it('of other names and roles are refused', async () => {
      const { add } = await opened();
      for (const name of [
        '',
        ' ',
        'a\nb',
        'a/b',
        'a,b',
        ' a',
        'a  b',
        'x'.repeat(81),
        'a\u202eb',
      ]) {
        await expect(add(name), JSON.stringify(name)).rejects.toThrow('the name of an operator');
      }
      await expect(add('anna', 'admin')).rejects.toThrow('must be viewer, operator, owner');
      for (const name of ['x'.repeat(80), 'auth0|5f7c', 'Änne Müller', 'corp\\anna'])
        await add(name);
    });

    it('number at most 200', async () => {
      const { store, add } = await opened();
      for (let i = 0; i < 200; i++) {
        await store.operators.add({ name: `operator-${i}`, role: 'viewer', link: null }, 'test');
      }
      await expect(add('anna')).rejects.toThrow('There are 200 operators');
    });

    it('set a password by a link, once and in time', async () => {
      const { store, clock, context, token } = await opened();
      const first = await token('anna');
      const { sessionsId } = (await store.operators.get('anna'))!;
      await expect(setPasswordByLink(context, first, 'short')).rejects.toThrow('15 to 256');
      await setPasswordByLink(context, first, PASSWORD);
      const anna = (await store.operators.get('anna'))!;
      expect(await isPassword(anna.password, PASSWORD)).toBe(true);
      expect(anna.sessionsId).not.toBe(sessionsId);
      const ended = { kind: 'not_found', message: expect.stringContaining('has ended') };
      for (const used of [first, 'unknown', '']) {
        await expect(setPasswordByLink(context, used, PASSWORD)).rejects.toMatchObject(ended);
      }
      const late = await token('ben');
      clock.advance(7 * DAY);
      await expect(setPasswordByLink(context, late, PASSWORD)).rejects.toMatchObject(ended);
      const changes = await store.changes.latest(10, { by: 'console:anna' });
      expect(changes).toMatchObject([
        { entity: 'console', kind: 'password_set', entityId: 'anna' },
      ]);
    });

    it('replace their own password, which ends the sessions and the link', async () => {
      const { store, token, context } = await opened();
      await setPasswordByLink(context, await token('anna'), PASSWORD);
      await resetOperator(context, 'anna');
      const before = (await store.operators.get('anna'))!;
      await expect(setOwnPassword(context, before, 'short')).rejects.toThrow('15 to 256');
      const after = await setOwnPassword(context, before, 'another long password');
      expect(after).toEqual(await store.operators.get('anna'));
      expect(after).toMatchObject({ linkHash: null, linkExpiresAt: null, role: 'owner' });
      expect(after.sessionsId).not.toBe(before.sessionsId);
      expect(await isPassword(after.password, 'another long password')).toBe(true);
      // Of a session that has ended meanwhile.
      await expect(setOwnPassword(context, before, PASSWORD)).rejects.toMatchObject({
        kind: 'conflict',
      });
      const [change] = await store.changes.latest(1, { by: 'console:anna' });
      expect(change).toMatchObject({ entity: 'console', kind: 'password_set' });
    });

    it('get a new link by a reset, which ends the former one and nothing else', async () => {
      const { store, context, token } = await opened();
      const first = await token('anna');
      await setPasswordByLink(context, first, PASSWORD);
      const { sessionsId, password } = (await store.operators.get('anna'))!;
      const second = (await resetOperator(context, 'anna')).linkPath!.split('#')[1]!;
      const third = (await resetOperator(context, 'anna')).linkPath!.split('#')[1]!;
      expect(await store.operators.get('anna')).toMatchObject({ sessionsId, password });
      await expect(setPasswordByLink(context, second, PASSWORD)).rejects.toThrow('has ended');
      await setPasswordByLink(context, third, 'another long password');
      await expect(resetOperator(context, 'ben')).rejects.toMatchObject({ kind: 'not_found' });
    });

    it('lose their sessions by a lower role, by disabling and by a password, and not by a higher role', async () => {
      const { store, context, add } = await opened();
      await add('owner');
      const token = (await add('anna', 'viewer')).linkPath!.split('#')[1]!;
      const ids = [(await store.operators.get('anna'))!.sessionsId];
      const endedBy = async (work: Promise<unknown>) => {
        await work;
        ids.push((await store.operators.get('anna'))!.sessionsId);
        return ids.at(-1) !== ids.at(-2);
      };
      expect(await endedBy(changeOperator(context, 'anna', { role: 'operator' }))).toBe(false);
      expect(await endedBy(changeOperator(context, 'anna', { role: 'viewer' }))).toBe(true);
      expect(await endedBy(setPasswordByLink(context, token, PASSWORD))).toBe(true);
      expect(await endedBy(changeOperator(context, 'anna', { enabled: false }))).toBe(true);
      expect(await endedBy(changeOperator(context, 'anna', { enabled: true }))).toBe(false);
      await removeOperator(context, 'anna');
      expect(await store.operators.get('anna')).toBeUndefined();
      const kinds = await store.changes.latest(10, { entity: 'operator', entityId: 'anna' });
      expect(kinds.map(({ kind }) => kind)).toEqual([
        ...['removed', 'enabled', 'disabled', 'updated', 'updated', 'added'],
      ]);
    });

    it('lose their links by disabling', async () => {
      const { context, add, token } = await opened();
      await add('owner');
      const link = await token('anna', 'viewer');
      await changeOperator(context, 'anna', { enabled: false });
      await expect(setPasswordByLink(context, link, PASSWORD)).rejects.toThrow('has ended');
    });

    it('keep their last owner', async () => {
      const { context, add } = await opened();
      await add('anna');
      await add('ben');
      await changeOperator(context, 'ben', { enabled: false });
      const refused = { kind: 'conflict', message: expect.stringContaining('is the last owner') };
      await expect(removeOperator(context, 'anna')).rejects.toMatchObject(refused);
      await expect(changeOperator(context, 'anna', { role: 'operator' })).rejects.toMatchObject(
        refused,
      );
      await expect(changeOperator(context, 'anna', { enabled: false })).rejects.toMatchObject(
        refused,
      );
      await changeOperator(context, 'ben', { enabled: true });
      await changeOperator(context, 'anna', { role: 'viewer' });
      await removeOperator(context, 'anna');
    });

    it('keep their last owner who can sign in: with a password, or by a proxy', async () => {
      const { context, token, add } = await opened();
      await setPasswordByLink(context, await token('anna'), PASSWORD);
      const link = await token('ben');
      const refused = {
        kind: 'conflict',
        message:
          '"anna" is the last owner who can sign in: "ben" must set a password by a link first.',
      };
      await expect(removeOperator(context, 'anna')).rejects.toMatchObject(refused);
      await expect(changeOperator(context, 'anna', { enabled: false })).rejects.toMatchObject(
        refused,
      );
      // An owner who never signed in is not missed.
      await add('carl');
      await removeOperator(context, 'carl');
      const proxied = { ...context, config: { consoleUserHeader: 'x-forwarded-user' } };
      await changeOperator(proxied, 'anna', { role: 'viewer' });
      await changeOperator(context, 'anna', { role: 'owner' });
      await setPasswordByLink(context, link, 'another long password');
      await removeOperator(context, 'anna');
      await expect(removeOperator(proxied, 'ben')).rejects.toThrow('"ben" is the last owner:');
    });

    it('keep an owner when two commands at once take the last two', async () => {
      const { store, another, context, add } = await opened();
      const other = { ...context, store: await another() };
      for (let round = 0; round < 5; round++) {
        for (const name of ['anna', 'ben']) {
          if ((await store.operators.get(name)) === undefined) await add(name);
        }
        const results = await Promise.allSettled([
          removeOperator(context, 'anna'),
          changeOperator(other, 'ben', { role: 'viewer' }),
        ]);
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        const owners = (await store.operators.all()).filter(({ role }) => role === 'owner');
        expect(owners).toHaveLength(1);
      }
    });

    it('set one password of two that use a link at once', async () => {
      const { context, another, token } = await opened();
      const other = { ...context, store: await another() };
      const link = await token('anna');
      const results = await Promise.allSettled([
        setPasswordByLink(context, link, PASSWORD),
        setPasswordByLink(other, link, 'another long password'),
      ]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('begin with the owner console, whose password a command sets for all nodes', async () => {
      const { store, another, context } = await opened();
      const other = await another();
      await setConsolePassword(context, 'the first password');
      const first = (await other.operators.get('console'))!;
      expect(first).toMatchObject({ role: 'owner', enabled: true });
      await setConsolePassword(context, 'the second password');
      const second = (await other.operators.get('console'))!;
      expect(second.password!.salt).not.toBe(first.password!.salt);
      expect(second.sessionsId).not.toBe(first.sessionsId);
      expect(await isPassword(second.password, 'the first password')).toBe(false);
      expect(await isPassword(second.password, 'the second password')).toBe(true);
      const changes = await store.changes.latest(10, { entity: 'console' });
      expect(changes).toHaveLength(2);
      expect(changes[0]).toMatchObject({ kind: 'password_set', by: 'cli:anna' });
      expect(JSON.stringify(changes)).not.toContain(second.password!.hash);
    });

    it('are logged when they log in, and when somebody fails to', async () => {
      const { store, clock, add } = await opened();
      await add('anna');
      await store.operators.logLogin('anna', 'login_failed');
      expect((await store.operators.get('anna'))!.lastLoginAt).toBeNull();
      await store.operators.logLogin('anna', 'logged_in');
      expect((await store.operators.get('anna'))!.lastLoginAt).toBe(clock.now());
      const logged = await store.changes.latest(10, { entity: 'console' });
      expect(logged.map(({ kind, entityId, by }) => [kind, entityId, by])).toEqual([
        ['logged_in', 'anna', 'console:anna'],
        ['login_failed', 'anna', 'system:console'],
      ]);
    });
  });
}
