import { asBuffer } from '../../common/threads/calls.ts';
import { madeInThread } from '../../common/threads/thread.ts';
import type { StaticFile } from './static-file.ts';

/**
 * Loads Scalar's bundled script (4 MB, about 1.3 MB compressed) from its package and compresses it, on first use,
 * because many nodes never show their documentation. This runs in a thread, because it takes at least 300 ms.
 */
export async function loadReferenceScript(): Promise<StaticFile> {
  const { plain, gzipped, sha256 } = await madeInThread<{
    plain: Uint8Array;
    gzipped: Uint8Array;
    sha256: string;
  }>(new URL('./reference-script-worker.ts', import.meta.url));
  return { plain: asBuffer(plain), gzipped: asBuffer(gzipped), sha256 };
}
