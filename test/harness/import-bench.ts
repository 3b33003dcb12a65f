import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from '../../src/app/open/open-sqlite.ts';
import type { Clock } from '../../src/common/clock.ts';
import { openDiskMediaStore } from '../../src/engines/blobs/disk/media-store.ts';
import type { MediaStore } from '../../src/engines/blobs/media-store.ts';
import type { Rejection } from '../../src/features/import/item.ts';
import type { ImportOptions, ImportSummary } from '../../src/features/import/options.ts';
import { runImport } from '../../src/features/import/run.ts';
import type { Store } from '../../src/features/store.ts';

/** Real catalogs and audio, in a folder beside the repository. */
export const SHARED_DATA = fileURLToPath(new URL('../../../shared/data', import.meta.url));
export const HAS_SHARED_DATA = existsSync(SHARED_DATA);

/** A catalog in a temporary folder, and a folder for files to import. Always close it. */
export interface ImportBench {
  folder: string;
  store: Store;
  media: MediaStore;
  clock: Clock;
  /** Writes a file into the folder and returns its path. */
  write(name: string, content: string | Uint8Array): Promise<string>;
  /** Imports, and returns the summary with the rejections. */
  run(
    paths: readonly string[],
    options?: Partial<ImportOptions>,
  ): Promise<{
    summary: ImportSummary;
    rejections: Rejection[];
    notes: string[];
    /** The reason why a prune was refused. */
    refusals: string[];
  }>;
  /** The live tracks as the API shows them, by name. */
  tracks(): Promise<Record<string, unknown>[]>;
  mediaKeys(): Promise<string[]>;
  close(): Promise<void>;
}

/** `open` opens the store; by default SQLite in the folder. */
export async function openImportBench(
  open = (path: string, clock: Clock) => openSqliteStore({ path, clock }),
): Promise<ImportBench> {
  const folder = await mkdtemp(join(tmpdir(), 'stave-import-'));
  const clock = { now: () => Date.UTC(2026, 10, 21) };
  const store = await open(join(folder, 'stave.db'), clock);
  const media = await openDiskMediaStore({ folder: join(folder, 'media') });
  return {
    folder,
    store,
    media,
    clock,
    async write(name, content) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
    async run(paths, options = {}) {
      const rejections: Rejection[] = [];
      const notes: string[] = [];
      const refusals: string[] = [];
      const summary = await runImport({
        paths,
        catalog: store.catalog,
        trackMessages: store.trackMessages,
        media,
        by: 'test:import',
        clock,
        onRejection: (rejection) => rejections.push(rejection),
        onNote: (note) => notes.push(note),
        onPruneRefused: (reason) => refusals.push(reason),
        ...options,
      });
      return { summary, rejections, notes, refusals };
    },
    async tracks() {
      const tracks: Record<string, unknown>[] = [];
      for await (const entries of store.catalog.allIndexEntries()) {
        for (const document of await store.catalog.documents(entries.map(({ rowId }) => rowId))) {
          tracks.push(JSON.parse(`${document!.json}}`));
        }
      }
      return tracks.sort((one, other) => (String(one.name) < String(other.name) ? -1 : 1));
    },
    async mediaKeys() {
      const keys: string[] = [];
      for await (const key of media.keys()) {
        keys.push(key);
      }
      return keys;
    },
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** One record per line. */
export function ndjson(...records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** The smallest record that an import accepts, with the members that a test adds. */
export function record(externalId: string, more: object = {}): Record<string, unknown> {
  return { externalId, name: `Track ${externalId}`, type: 'music', ...more };
}

/** The summary of a first import. */
export function counts(created: number, rejected = 0) {
  return { read: created + rejected, created, updated: 0, unchanged: 0, rejected };
}

/** The smallest possible PNG. */
export const PNG = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000a49444154789c6300010000050001',
  'hex',
);
