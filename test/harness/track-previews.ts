import { join } from 'node:path';
import { DATABASE_FILE } from '../../src/app/open/data-folder.ts';
import { openDatabase } from './sql-databases.ts';
import type { TestServer } from './test-server.ts';

/** Stores with which second the clip of a track begins, and its imported clip and waveform. */
export async function setPreviews(
  { config, clock }: TestServer,
  id: string,
  values: { previewStart?: number; previewKey?: string; waveformKey?: string },
): Promise<void> {
  const isServer = config.database !== null;
  const location = config.database?.url ?? join(config.dataFolder, DATABASE_FILE);
  await using database = await openDatabase({ isServer }, location, clock);
  await database.sql.write(({ queries }) =>
    queries.updateTable('tracks').set(values).where('id', '=', id).execute(),
  );
}
