import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { startHouse } from '../harness/house.ts';
import { streamSuite } from './stream-suite.ts';

streamSuite('from a folder', async () => {
  const house = await startHouse({ tracks: [] });
  return {
    house,
    /** How many descriptors of this process lie on the media file of the key. */
    async openReads(key) {
      const names = await readdir('/proc/self/fd');
      const targets = await Promise.all(
        names.map((name) => readlink(join('/proc/self/fd', name)).catch(() => '')),
      );
      return targets.filter((target) => target.endsWith(key)).length;
    },
    close: () => house.close(),
  };
});
