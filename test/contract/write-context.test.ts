import { describe, expect, it } from 'vitest';
import type { OpenWrite, WriteContext } from '../../src/common/caller.ts';
import { newId } from '../../src/common/ids.ts';
import type { Queries } from '../../src/engines/sql/database.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

/** Stores a value as a store would that keeps responses. */
async function keep({ queries }: OpenWrite, name: string, value: string): Promise<void> {
  await (queries as Queries).insertInto('settings').values({ name, value }).execute();
}

for (const adapter of ADAPTERS) {
  describe(`a write in a context on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const caller = { actor: 'client:one', clientId: newId(), mode: 'live' } as const;

    it('is committed together with what finishes it, or not at all', async () => {
      const { store, clock, location } = await open();
      await using database = await openDatabase(adapter, location, clock);
      const create = (name: string, context: WriteContext<string>) =>
        database.sql.write(async (transaction) => {
          await keep(transaction, name, 'effect');
          await transaction.log('collection', [['created', name]], context);
          return `made ${name}`;
        }, context);
      const finish = (result: string, transaction: OpenWrite) =>
        keep(transaction, `${result}, response`, 'kept');
      expect(await create('a', { ...caller, finish })).toBe('made a');
      expect(await create('b', caller)).toBe('made b');
      const failing = create('c', {
        ...caller,
        finish: async (...given) => {
          await finish(...given);
          throw new Error('no');
        },
      });
      await expect(failing).rejects.toThrow('no');
      const stored = ['a', 'made a, response', 'b', 'c', 'made c, response'].map((name) =>
        store.settings.get(name),
      );
      expect(await Promise.all(stored)).toEqual(['effect', 'kept', 'effect', undefined, undefined]);
      const { actor: by, ...partner } = caller;
      expect(await store.changes.since(0, ['collection'], 10)).toEqual(
        ['a', 'b'].map((entityId, i) => ({
          seq: i + 1,
          at: clock.now(),
          entity: 'collection',
          kind: 'created',
          entityId,
          by,
          batchId: null,
          ...partner,
          changed: null,
        })),
      );
    });

    it('may be one that is apart', async () => {
      const { store, clock, location } = await open();
      await using database = await openDatabase(adapter, location, clock);
      const report = (count: number, mayFinish: boolean) =>
        database.sql.apart(
          async (queries) => {
            await keep({ queries }, `event ${count}`, 'effect');
            return count;
          },
          {
            ...caller,
            async finish(result, transaction) {
              await keep(transaction, `response ${result}`, 'kept');
              if (!mayFinish) throw new Error('no');
            },
          },
        );
      expect(await report(1, true)).toBe(1);
      await expect(report(2, false)).rejects.toThrow('no');
      const stored = ['event 1', 'response 1', 'event 2', 'response 2'].map((name) =>
        store.settings.get(name),
      );
      expect(await Promise.all(stored)).toEqual(['effect', 'kept', undefined, undefined]);
    });
  });
}
