import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allOf } from '../../../../test/harness/all-of.ts';
import { temporaryFolder } from '../../../../test/harness/cli.ts';
import { delivery, importAll } from '../../../../test/harness/deliveries.ts';
import { openDatabase } from '../../../../test/harness/sql-databases.ts';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import { LanguageStore } from '../../../features/languages/store/language-store.ts';
import { openSqliteStore } from '../../open/open-sqlite.ts';

const clock = { now: () => 1 };

it('reads the texts of many tracks in another thread', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'stave.db');
  const store = await openSqliteStore({ path, clock });
  const translations = [{ language: 'de', name: 'Nachtfähre', tags: null }];
  await importAll(store, [delivery(1, { translations }), delivery(2)]);
  const [row] = await allOf(store.catalog.liveDocuments(0));
  const rowIds = row!.map(({ rowId }) => rowId);
  const expected = await store.languages.trackTexts(rowIds, ['de']);
  expect(expected.get(rowIds[0]!)).toEqual({ language: null, texts: translations });
  await store.close();

  await using database = await openDatabase({ isServer: false }, path, clock);
  const withoutOwn = Object.create(database.sql, {
    queries: {
      get() {
        throw new Error('A statement in this thread');
      },
    },
    aside: { get: () => database.sql.aside },
    dialect: { get: () => database.sql.dialect },
  }) as SqlDatabase;
  const languages = new LanguageStore(withoutOwn, clock);
  expect(() => languages.trackTexts(rowIds, ['de'])).toThrow('A statement in this thread');
  expect(await languages.manyTrackTexts(rowIds, ['de'])).toEqual(expected);
});
