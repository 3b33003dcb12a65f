import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/app/open/open-sqlite.ts';
import { OperatorError } from '../../src/common/errors.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, harnessOf } from '../harness/stores.ts';

let folder: string | undefined;
afterEach(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true });
  folder = undefined;
});

for (const adapter of ADAPTERS.filter(({ isServer }) => isServer)) {
  it(`is a copy of all tables at one moment on ${adapter.name}, even while an import writes`, async () => {
    const { store, another } = await harnessOf(adapter)();
    expect(store.backup).toBeUndefined();
    folder = await mkdtemp(join(tmpdir(), 'stave-backup-'));
    const clock = { now: () => 0 };
    const copy = await openSqliteStore({ path: join(folder, 'stave.db'), clock });
    const session = await (await another()).catalog.openDelivery(BY, 'b');
    await session.deliver(deliveries(0, 1_000));
    let copying = true;
    const importing = (async () => {
      for (let n = 1_000; copying; n += 100) await session.deliver(deliveries(n, n + 100));
    })();
    await store.tables.copyTo(copy.tables);
    copying = false;
    await importing;
    await session.close();
    await copy.check(true);
    const { live } = await copy.catalog.counts();
    expect(live).toBeGreaterThanOrEqual(1_000);
    expect(await allChanges(copy)).toHaveLength(live);
    // What it adds has numbers of its own.
    await importAll(copy, [delivery(900_000)]);
    expect(await allChanges(copy)).toHaveLength(live + 1);
    await expect(store.tables.copyTo(copy.tables)).rejects.toThrow(/writes to/);
    await copy.close();
  });
}

for (const adapter of ADAPTERS.filter(({ isServer }) => !isServer)) {
  describe(`backup on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('is a consistent copy, even while an import writes', async () => {
      const { store, another } = await open();
      folder = await mkdtemp(join(tmpdir(), 'stave-backup-'));
      const session = await (await another()).catalog.openDelivery(BY, 'b');
      await session.deliver(deliveries(0, 1_000));
      let delivering = true;
      const importing = (async () => {
        for (let n = 1_000; delivering; n += 100) await session.deliver(deliveries(n, n + 100));
      })();
      const paths = [1, 2, 3].map((n) => join(folder!, `copy-${n}.db`));
      for (const path of paths) await store.backup!(path);
      delivering = false;
      await importing;
      await session.close();
      expect((await readdir(folder)).sort()).toEqual(['copy-1.db', 'copy-2.db', 'copy-3.db']);
      for (const path of paths) {
        const copy = await adapter.open(path, { now: () => 0 });
        await copy.check(true);
        const { live } = await copy.catalog.counts();
        expect(live).toBeGreaterThanOrEqual(1_000);
        expect(await allChanges(copy)).toHaveLength(live);
        await copy.close();
      }
    });

    it('does not overwrite a file, and leaves no file if it cannot write', async () => {
      const { store } = await open();
      folder = await mkdtemp(join(tmpdir(), 'stave-backup-'));
      const path = join(folder, 'copy.db');
      await store.backup!(path);
      await expect(store.backup!(path)).rejects.toThrow(OperatorError);
      await expect(store.backup!(join(folder, 'missing', 'copy.db'))).rejects.toThrow(
        OperatorError,
      );
      expect(await readdir(folder)).toEqual(['copy.db']);
    });
  });
}
