import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../src/common/clock.ts';
import { openSqliteStore } from '../src/storage/sqlite/open.ts';
import { BENCH_SOURCE, writeCatalog } from './catalog.ts';
import { spread } from './figures.ts';
import { load, serve, stave } from './processes.ts';
import { readRealParts } from './real-parts.ts';
import type { Row } from './row.ts';

/**
 * Measures the first import into a new file, then one beside a serving process and another writer, and an
 * import of the same file again, which must change nothing.
 */
export async function measureImport(options: {
  folder: string;
  dataFolder: string;
  tracks: number;
}): Promise<Row[]> {
  const file = join(options.folder, 'catalog.ndjson');
  await writeCatalog(file, options.tracks, await readRealParts(options.dataFolder));
  const rows: Row[] = [];
  const count = options.tracks.toLocaleString('en');

  const fresh = { STAVE_DATA: join(options.folder, 'import-fresh') };
  const first = await stave(['import', file, '--source', BENCH_SOURCE], fresh);
  rows.push({
    what: `import of ${count} tracks (${megabytes(file)} MB of NDJSON) into a new file, including process start and end`,
    figure: `${Math.round(options.tracks / first.seconds).toLocaleString('en')} tracks/s (${first.seconds.toFixed(1)} s)`,
    goal: '10,000 tracks/s, 20,000 wanted',
  });
  rows.push({
    what: 'peak memory of that import',
    figure: `${Math.round(first.peakMegabytes)} MB`,
    goal: 'below 300 MB',
  });

  const again = await stave(['import', file, '--source', BENCH_SOURCE], fresh);
  rows.push({
    what: 'the same file again: nothing changes',
    figure: `${Math.round(options.tracks / again.seconds).toLocaleString('en')} tracks/s, ${JSON.stringify(again.result)}`,
    goal: '',
  });
  rmSync(fresh.STAVE_DATA, { recursive: true });

  rows.push(...(await measureBeside(options.folder, file)));
  return rows;
}

/** Imports while a service responds and another process writes. Returns the longest delay of each. */
async function measureBeside(folder: string, file: string): Promise<Row[]> {
  const settings = { STAVE_DATA: join(folder, 'import-beside') };
  const server = await serve(settings, 18_090);
  const store = await openSqliteStore({
    path: join(settings.STAVE_DATA, 'stave.db'),
    clock: systemClock,
  });
  const waits: number[] = [];
  let importing = true;
  const writing = (async () => {
    for (let i = 0; importing; i++) {
      const startedAt = performance.now();
      await store.settings.set('bench', String(i));
      waits.push(performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  const imported = stave(['import', file, '--source', BENCH_SOURCE], settings);
  const reads = await load({
    port: server.port,
    paths: ['/version'],
    connections: 1,
    seconds: 8,
  });
  await imported;
  importing = false;
  await writing;
  await store.close();
  await server.stop();
  const wait = spread(waits);
  return [
    {
      what: `writes of another process during an import: ${waits.length}, longest wait`,
      figure: `${Math.round(wait.max)} ms (median ${wait.median.toFixed(1)} ms)`,
      goal: 'never above 100 ms',
    },
    {
      what: `requests to the service during an import: ${reads.requests.toLocaleString('en')}, longest wait`,
      figure: `${Math.round(reads.max)} ms (p99 ${reads.p99.toFixed(1)} ms)`,
      goal: 'never above 100 ms',
    },
  ];
}

function megabytes(file: string): number {
  return Math.round(statSync(file).size / 1e6);
}
