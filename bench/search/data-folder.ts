import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_FILE, SNAPSHOT_FILE } from '../../src/app/data-folder.ts';
import { BENCH_SOURCE, writeCatalog } from '../catalog.ts';
import { type BenchClient, createBenchClient } from '../client.ts';
import { stave } from '../processes.ts';
import { readRealParts } from '../real-parts.ts';

/** A data folder that holds a made-up catalog of some size. */
export interface BenchData {
  tracks: number;
  folder: string;
  /** Where the system of record is. */
  database: string;
  settings: Record<string, string>;
  client: BenchClient;
  /** What its import took; undefined where an earlier run imported it. */
  imported: { seconds: number; peakMegabytes: number } | undefined;
}

/**
 * Opens `folder/<tracks>`; makes the catalog and imports it where that was not done before. About 80 s
 * for a million tracks.
 */
export async function benchData(options: {
  folder: string;
  dataFolder: string;
  tracks: number;
}): Promise<BenchData> {
  const { tracks } = options;
  const folder = join(options.folder, String(tracks));
  const settings = { STAVE_DATA: folder };
  // Written last, so that it stands only beside a catalog that is whole.
  const clientFile = join(folder, 'bench-client.json');
  let imported: BenchData['imported'];
  if (!existsSync(clientFile)) {
    rmSync(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const catalog = join(options.folder, `catalog-${tracks}.ndjson`);
    await writeCatalog(catalog, tracks, await readRealParts(options.dataFolder));
    imported = await stave(['import', catalog, '--source', BENCH_SOURCE], settings);
    rmSync(catalog);
    writeFileSync(clientFile, JSON.stringify(await createBenchClient(settings)));
  }
  return {
    tracks,
    folder,
    database: join(folder, DATABASE_FILE),
    settings,
    client: JSON.parse(readFileSync(clientFile, 'utf8')),
    imported,
  };
}

/** Whether the index has left a snapshot behind. */
export function hasSnapshot({ folder }: BenchData): boolean {
  return existsSync(join(folder, SNAPSHOT_FILE));
}

/** Removes the index's snapshot, so that the next start has to build it. */
export function removeSnapshot({ folder }: BenchData): void {
  rmSync(join(folder, SNAPSHOT_FILE), { force: true });
}
