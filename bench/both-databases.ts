import { join } from 'node:path';
import { createDatabase } from '../test/harness/services.ts';
import type { Row } from './row.ts';
import { importRealTracks } from './start.ts';

/** The folder of all parts, that of the real catalogs, and the number of rounds. */
export interface PartOptions {
  folder: string;
  dataFolder: string;
  rounds: number;
}

/**
 * Measures a part on SQLite and then on PostgreSQL, each with the real catalogs.
 *
 * @param measure gets the name of the database and the settings of a service on it
 */
export async function onBothDatabases(
  { folder, dataFolder, rounds }: PartOptions,
  part: string,
  measure: (database: string, settings: Record<string, string>, rounds: number) => Promise<Row[]>,
): Promise<Row[]> {
  const onSqlite = await importRealTracks(folder, dataFolder);
  const rows = await measure('SQLite', onSqlite.settings, rounds);
  await using database = await createDatabase();
  const { settings } = await importRealTracks(folder, dataFolder, {
    STAVE_DATA: join(folder, `${part}-postgres`),
    STAVE_DATABASE_URL: database.url,
  });
  return [...rows, ...(await measure('PostgreSQL', settings, rounds))];
}
