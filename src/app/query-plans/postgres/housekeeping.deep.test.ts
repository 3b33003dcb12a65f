import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createDatabase, POSTGRES_URL } from '../../../../test/harness/services.ts';
import { openDatabase } from '../../../../test/harness/sql-databases.ts';
import { adapterNamed } from '../../../../test/harness/store-adapters.ts';
import { systemClock } from '../../../common/clock.ts';
import type { Queries } from '../../../engines/sql/database.ts';

it.skipIf(POSTGRES_URL === undefined)('does not wait for the disk', async () => {
  await using place = await createDatabase();
  await using database = await openDatabase(adapterNamed('postgres'), place.url, systemClock);
  const commit = async (queries: Queries) => {
    const setting = sql<string>`current_setting('synchronous_commit')`.as('setting');
    return (await queries.selectNoFrom(setting).executeTakeFirstOrThrow()).setting;
  };
  expect(await database.sql.discard(commit)).toBe('off');
  expect(await database.sql.apart(commit)).toBe('on');
  expect(await database.sql.write(({ queries }) => commit(queries))).toBe('on');
});
