import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { streamSuite } from '../../../../test/harness/stream-suite.ts';
import { startTestServer } from '../../../../test/harness/test-server.ts';

streamSuite('from a folder', async () => {
  const server = await startTestServer({ tracks: [] });
  return {
    server,
    /** Returns how many file descriptors this process has open on the media file of the key. */
    async openReads(key) {
      const names = await readdir('/proc/self/fd');
      const targets = await Promise.all(
        names.map((name) => readlink(join('/proc/self/fd', name)).catch(() => '')),
      );
      return targets.filter((target) => target.endsWith(key)).length;
    },
    close: () => server.close(),
  };
});
