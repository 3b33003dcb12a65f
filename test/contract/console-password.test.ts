import { describe, expect, it } from 'vitest';
import {
  isConsolePassword,
  setConsolePassword,
} from '../../src/features/access/console-password.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

for (const adapter of ADAPTERS) {
  describe(`the password of the console on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('is replaced for all nodes, and logged without its hash', async () => {
      const { store, another } = await open();
      const other = await another();
      expect(await other.console.password()).toBeUndefined();
      await setConsolePassword({ store, by: 'cli:anna' }, 'the first password');
      const first = (await other.console.password())!;
      await setConsolePassword({ store, by: 'cli:anna' }, 'the second password');
      const second = (await other.console.password())!;
      expect(second.salt).not.toBe(first.salt);
      expect(await isConsolePassword(second, 'the first password')).toBe(false);
      expect(await isConsolePassword(second, 'the second password')).toBe(true);
      const changes = await store.changes.latest(10, { entity: 'console' });
      expect(changes).toHaveLength(2);
      expect(changes[0]).toMatchObject({ kind: 'password_set', by: 'cli:anna' });
      expect(JSON.stringify(changes)).not.toContain(second.hash);
    });
  });
}
