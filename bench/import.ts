import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from '../src/app/open/data-folder.ts';
import { createDatabase, POSTGRES_URL } from '../test/harness/services.ts';
import { BENCH_SOURCE, writeCatalog } from './catalog.ts';
import { shown } from './figures.ts';
import { measureBeside, measureKilled } from './import-beside.ts';
import { createPeerDatabase } from './peers/postgres/database.ts';
import { stave } from './processes.ts';
import { readRealParts } from './real-parts.ts';
import type { Row } from './row.ts';

interface ImportOptions {
  folder: string;
  dataFolder: string;
  tracks: number;
}

/**
 * Measures the import of one file into SQLite: alone, repeated, and beside a service under load; and how long the
 * textbook peer takes to load and index the same catalog. Yields each row as soon as it is measured.
 */
export async function* measureImport(options: ImportOptions): AsyncGenerator<Row> {
  const { folder, tracks } = options;
  const file = await writeImportFile(options);
  const name = 'SQLite';

  const data = join(folder, 'import-alone');
  const settings = { STAVE_DATA: data };
  const alone = await measureAlone({ file, tracks, settings, name });
  yield* alone.rows;
  yield {
    what: 'size of the SQLite file',
    figure: `${megabytes(join(data, DATABASE_FILE))} MB`,
    goal: '0.6 GB per million tracks',
  };
  const peer = await createPeerDatabase(join(data, DATABASE_FILE));
  yield {
    what: 'the textbook peer loads and indexes the same catalog',
    figure:
      peer === undefined
        ? 'PostgreSQL was not measured'
        : `${shown(peer.secondsToLoad)} s: the import into SQLite takes ${shown(alone.seconds / peer.secondsToLoad)} of that`,
    goal: 'the import takes at most 1',
  };
  await peer?.drop();
  rmSync(data, { recursive: true });

  const beside = { ...options, file };
  const embedded = { STAVE_DATA: join(folder, 'import-beside') };
  yield* await measureBeside({ ...beside, settings: embedded, alone, name });
  rmSync(embedded.STAVE_DATA, { recursive: true });
  const killed = { STAVE_DATA: join(folder, 'import-killed') };
  yield await measureKilled({ ...beside, settings: killed });
  rmSync(killed.STAVE_DATA, { recursive: true });
}

/** As `measureImport`, into PostgreSQL, without the peer. Yields nothing if the machine has no PostgreSQL. */
export async function* measureImportIntoPostgres(options: ImportOptions): AsyncGenerator<Row> {
  if (POSTGRES_URL === undefined) return;
  const { folder } = options;
  const file = await writeImportFile(options);
  const name = 'PostgreSQL';
  await using first = await createDatabase();
  const settings = { STAVE_DATA: join(folder, 'postgres-alone'), STAVE_DATABASE_URL: first.url };
  const alone = await measureAlone({ ...options, file, settings, name });
  yield* alone.rows;
  await using second = await createDatabase();
  const other = { STAVE_DATA: join(folder, 'postgres-beside'), STAVE_DATABASE_URL: second.url };
  yield* await measureBeside({ ...options, file, settings: other, alone, name });
}

async function writeImportFile({ folder, dataFolder, tracks }: ImportOptions): Promise<string> {
  const file = join(folder, 'catalog.ndjson');
  await writeCatalog(file, tracks, await readRealParts(dataFolder));
  return file;
}

/** Imports the file into an empty store, and then again, which must change nothing. */
async function measureAlone({
  file,
  tracks,
  settings,
  name,
}: {
  file: string;
  tracks: number;
  settings: Record<string, string>;
  name: string;
}): Promise<{ seconds: number; rows: Row[] }> {
  const args = ['import', file, '--source', BENCH_SOURCE];
  const first = await stave(args, settings);
  const again = await stave(args, settings);
  const rate = (seconds: number) =>
    `${Math.round(tracks / seconds).toLocaleString('en')} tracks/s (${shown(seconds)} s)`;
  const rows = [
    {
      what: `import of ${tracks.toLocaleString('en')} tracks (${megabytes(file)} MB of NDJSON) into ${name}, including process start and end`,
      figure: rate(first.seconds),
      goal: '15,000 tracks/s',
    },
    {
      what: `peak memory of the import into ${name}`,
      figure: `${Math.round(first.peakMegabytes)} MB`,
      goal: 'below 300 MB',
    },
    {
      what: `the same file again into ${name}: nothing changes`,
      figure: `${rate(again.seconds)}, ${JSON.stringify(again.result)}`,
      goal: '',
    },
  ];
  return { seconds: first.seconds, rows };
}

function megabytes(file: string): number {
  return Math.round(statSync(file).size / 1e6);
}
