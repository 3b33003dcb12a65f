import { readdir, readFile } from 'node:fs/promises';
import { type StaticFile, staticFileOf } from '../reference/static-file.ts';

/** The explorer as it was built: all of its files, in memory. */
export interface ExplorerFiles {
  page: StaticFile;
  /** The files of `assets/` by their names, which contain a hash of the content. */
  assets: ReadonlyMap<string, StaticFile & { contentType: string }>;
}

/** Where `npm run build` writes the explorer. */
const EXPLORER_FOLDER: URL = new URL('../../../web/dist/', import.meta.url);

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/**
 * Reads the built explorer. Undefined if it has not been built. Rejects if a file cannot be read, or is of a type that
 * the build does not make.
 */
export async function loadExplorer(
  folder: URL = EXPLORER_FOLDER,
): Promise<ExplorerFiles | undefined> {
  try {
    const page = await staticFileOf(await readFile(new URL('index.html', folder)));
    const names = await readdir(new URL('assets/', folder));
    const assets = names.map(
      async (name): Promise<[string, StaticFile & { contentType: string }]> => {
        const contentType = CONTENT_TYPES[name.split('.').at(-1)!];
        if (contentType === undefined)
          throw new Error(`web/dist/assets/${name} has an unknown type`);
        const content = await readFile(new URL(`assets/${name}`, folder));
        return [name, { ...(await staticFileOf(content)), contentType }];
      },
    );
    return { page, assets: new Map(await Promise.all(assets)) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
