import { describe, expect, it } from 'vitest';
import type { Queries } from '../../src/engines/sql/database.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

for (const adapter of ADAPTERS) {
  describe(`a write apart on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const insert = (queries: Queries, name: string) =>
      queries.insertInto('settings').values({ name, value: '1' }).execute();

    it('is committed as a whole, or not at all', async () => {
      const { store, clock, location } = await open();
      await using database = await openDatabase(adapter, location, clock);
      expect(await database.sql.apart((queries) => insert(queries, 'a').then(() => 7))).toBe(7);
      const failing = database.sql.apart(async (queries) => {
        await insert(queries, 'b');
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await store.settings.get('a')).toBe('1');
      expect(await store.settings.get('b')).toBeUndefined();
    });

    it(`${adapter.isServer ? 'does not wait' : 'waits'} for another writer`, async () => {
      const { store, clock, location } = await open();
      await using database = await openDatabase(adapter, location, clock);
      await using another = await openDatabase(adapter, location, clock);
      const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const order: string[] = [];
      const writing = database.sql
        .write(async ({ queries }) => {
          await insert(queries, 'held');
          begun.resolve();
          await gate.promise;
        })
        .then(() => order.push('write'));
      await begun.promise;
      const apart = another.sql
        .apart((queries) => insert(queries, 'apart'))
        .then(() => order.push('apart'));
      if (adapter.isServer) {
        await apart;
        expect(await store.settings.get('held')).toBeUndefined();
      }
      gate.resolve();
      await Promise.all([writing, apart]);
      expect(order).toEqual(adapter.isServer ? ['apart', 'write'] : ['write', 'apart']);
    });
  });
}
