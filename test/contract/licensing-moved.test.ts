import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { migrateStore } from '../../src/maintenance/migrate-store/migrate-store.ts';
import { LICENSING_TABLES } from '../../src/storage/sql/licensing-tables.ts';
import { databaseName } from '../../src/storage/sql/tables.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import type { Store } from '../../src/storage/store.ts';
import { TABLES } from '../../src/storage/tables.ts';
import { BY } from '../harness/deliveries.ts';
import { certifier, LICENSEE, newQuote, publishCard } from '../harness/licensing.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { asClient } from './collections-support.ts';
import { withSales } from './licensing-support.ts';

const SQLITE = ADAPTERS[0]!;
const NAMES = Object.keys(LICENSING_TABLES).map(databaseName);

/** Returns all rows of the tables of licensing. */
function rowsOf(store: Store) {
  const tables = TABLES.filter(({ name }) => NAMES.includes(name));
  expect(tables).toHaveLength(NAMES.length);
  return Promise.all(tables.map((table) => store.tables.rowsAfter(table, null, 1_000)));
}

/** The number of a license within its year. */
const countOf = (number: string) => Number(number.split('-')[1]);

describe('rate cards, quotes and licenses', () => {
  const open = harnessOf(SQLITE);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stave-licensing-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function filled() {
    const sales = await withSales(await open());
    const { store, me, quote, sell } = sales;
    const revoked = await sell(me, [0], { exclusive: true });
    await store.issuedLicenses.revoke(revoked.number, { reason: 'x', now: 5 }, BY);
    const sold = await sell(me, [1, 2]);
    await sell(asClient(me.clientId, 'test'), [1]);
    await publishCard(store);
    await store.rateCards.withdraw('standard', 1, BY);
    return { ...sales, sold, open: await quote(me, [3]).catch(() => undefined) };
  }

  /** Expects the same rows in another store, the same license for its quote, and the next number. */
  async function expectSame(other: Store, { store, me, sold }: Awaited<ReturnType<typeof filled>>) {
    const rows = await rowsOf(store);
    expect(rows.every((table) => table.length > 0)).toBe(true);
    expect(await rowsOf(other)).toEqual(rows);
    const { quoteId, termsVersion } = sold.terms;
    const request = { quoteId, termsVersion, licensee: LICENSEE };
    const issue = { certify: certifier() };
    const again = await other.issuedLicenses.issue(request, issue, me);
    expect(again).toMatchObject({ license: sold, isNew: false });
    const quoted = await newQuote(other, me, clock.now(), { names: [trackId(4)] });
    const { license, isNew } = await other.issuedLicenses.issue(
      { ...request, quoteId: quoted.id },
      issue,
      me,
    );
    expect(isNew).toBe(true);
    expect(countOf(license.number)).toBe(countOf(sold.number) + 1);
    expect(await other.issuedLicenses.find(license.number, me)).toEqual(license);
  }

  it('are in a backup', async () => {
    const sales = await filled();
    const path = join(folder, 'backup.db');
    await sales.store.backup(path);
    const copy = await openSqliteStore({ path, clock: sales.clock });
    await expectSame(copy, sales);
    await copy.close();
  });

  for (const adapter of ADAPTERS.filter((one) => one !== SQLITE)) {
    it(`move to ${adapter.name}`, async () => {
      const sales = await filled();
      const place = await adapter.provide();
      const target = await adapter.open(place.location, sales.clock);
      await migrateStore(sales.store, target, { clock: systemClock, onProgress: () => {} });
      await expectSame(target, sales);
      await target.close();
      await place.dispose();
    });
  }
});
