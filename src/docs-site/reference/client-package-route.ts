import { readFile } from 'node:fs/promises';
import { StaveError } from '../../common/errors.ts';
import type { Route } from '../../engines/http/route/route.ts';
import { documentationFile, documentationRoute } from './documentation-route.ts';

/** Where `npm run build` writes the archive. */
const ARCHIVE = new URL('../../../web/dist/stave-client.tgz', import.meta.url);

/**
 * Serves the client library for TypeScript as an archive for `npm install`, in the version that fits this service. It is
 * not on a public registry.
 */
export function clientPackageRoute(archive: URL = ARCHIVE): Route {
  return documentationRoute(
    'showClientPackage',
    '/docs/stave-client.tgz',
    'The client library for TypeScript',
    async () => {
      try {
        return documentationFile('application/gzip', await readFile(archive));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        throw new StaveError(
          'not_found',
          'The client library is not built here. Ask the operator to run `npm run build`.',
        );
      }
    },
  );
}
