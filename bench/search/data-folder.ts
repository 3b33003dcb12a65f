import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_FILE, SNAPSHOT_FILE } from '../../src/app/open/data-folder.ts';
import { BENCH_SOURCE, writeCatalog } from '../catalog.ts';
import { type BenchClient, createBenchClients } from '../client.ts';
import { stave } from '../processes.ts';
import { readRealParts } from '../real-parts.ts';

/** A data folder with a synthetic catalog of some size. */
export interface BenchData {
  tracks: number;
  folder: string;
  /** The path of the database. */
  database: string;
  settings: Record<string, string>;
  clients: readonly BenchClient[];
  /** The time and memory of its import; undefined if an earlier run imported it. */
  imported: { seconds: number; peakMegabytes: number } | undefined;
}

/**
 * Opens `folder/<tracks>`. Creates and imports the catalog unless an earlier run did so, which takes about 80 s
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
  // This file is written last, so it exists only beside a complete catalog.
  const clientFile = join(folder, 'bench-clients.json');
  let imported: BenchData['imported'];
  if (!existsSync(clientFile)) {
    rmSync(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const catalog = join(options.folder, `catalog-${tracks}.ndjson`);
    await writeCatalog(catalog, tracks, await readRealParts(options.dataFolder));
    imported = await stave(['import', catalog, '--source', BENCH_SOURCE], settings);
    rmSync(catalog);
    writeFileSync(clientFile, JSON.stringify(await createBenchClients(settings)));
  }
  return {
    tracks,
    folder,
    database: join(folder, DATABASE_FILE),
    settings,
    clients: JSON.parse(readFileSync(clientFile, 'utf8')),
    imported,
  };
}

/** Whether a snapshot of the index exists. */
export function hasSnapshot({ folder }: BenchData): boolean {
  return existsSync(join(folder, SNAPSHOT_FILE));
}

/** Removes the snapshot of the index, so that the next start builds it. */
export function removeSnapshot({ folder }: BenchData): void {
  rmSync(join(folder, SNAPSHOT_FILE), { force: true });
}
