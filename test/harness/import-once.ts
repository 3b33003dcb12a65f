import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ImportBench } from './import-bench.ts';

const IMPORT_ONCE = fileURLToPath(new URL('programs/import-once.ts', import.meta.url));
const MiB = 1024 * 1024;

/**
 * Repeats the text up to this size. If incompressible data precede it, the file is at most thirty times as
 * large as its compressed form.
 */
export const again = (text: string, bytes = 40 * MiB) =>
  text.repeat(Math.ceil(bytes / text.length));

/** What an import used, and what it did. */
interface Cost {
  peakMB: number;
  cpuSeconds: number;
  created: number;
  rejected: number;
}

let compiled: Promise<unknown> | undefined;

/** Imports a file in a process of its own, into an empty catalog, with the mapping if there is one. */
export async function importOnce(
  bench: ImportBench,
  path: string,
  ...mapping: string[]
): Promise<Cost> {
  // A program starts many times, but compiles its modules once.
  compiled ??= runOnce(bench, '/dev/null');
  await compiled.catch(() => {});
  return JSON.parse(await runOnce(bench, path, ...mapping));
}

async function runOnce(bench: ImportBench, path: string, ...mapping: string[]): Promise<string> {
  const folder = await mkdtemp(join(bench.folder, 'once-'));
  const args = [IMPORT_ONCE, path, folder, ...mapping];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  await rm(folder, { recursive: true });
  return stdout;
}
