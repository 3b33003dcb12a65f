import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import type { Partner } from '../cli/every-table.ts';
import { MAIN } from '../harness/cli.ts';

/** A store of an earlier version, made by `scripts/make-release-store.ts` of that version. */
export interface ReleaseStore {
  name: string;
  version: string;
  commit: string;
  schema: number;
  partner: Partner;
  /** What its service answered the partner, by path, as `everyAnswer` returns it. */
  answers: Record<string, string>;
}

const ROOT = dirname(dirname(MAIN));
const FOLDER = import.meta.dirname;

/** The stores in this folder, the oldest schema first. */
export function releaseStores(): ReleaseStore[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, ...JSON.parse(unpacked(name, 'release.json').toString()) }))
    .sort((a, b) => a.schema - b.schema);
}

/** Unpacks the data folder of a release. */
export function unpackData({ name }: ReleaseStore, folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-x', '-C', folder], { input: unpacked(name, 'data.tar') });
}

/** Fills an empty PostgreSQL database with the store of a release. */
export async function fillPostgres({ name }: ReleaseStore, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(unpacked(name, 'postgres.sql').toString());
  } finally {
    await client.end();
  }
}

/** Whether the history of this clone has the program of a release. That of a shallow clone may not. */
export function hasProgram({ commit }: ReleaseStore): boolean {
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status === 0;
}

/** Unpacks the program of a release from the history, with the packages of this version. Returns its bin/main.mjs. */
export function unpackProgram({ commit }: ReleaseStore, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const paths = ['bin', 'src', 'docs', 'packages', 'package.json'];
  const options = { cwd: ROOT, maxBuffer: 2 ** 28 };
  const archive = execFileSync('git', ['archive', commit, ...paths], options);
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bin', 'main.mjs');
}

function unpacked(name: string, file: string): Buffer {
  return gunzipSync(readFileSync(join(FOLDER, name, `${file}.gz`)));
}
