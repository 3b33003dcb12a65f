// Runs `stave import PATH` on a new catalog in FOLDER and prints what it used: `import-once.ts PATH FOLDER`.
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { importTracks } from '../../../src/cli/import.ts';
import { openOutput } from '../../../src/cli/output.ts';
import { openDiskMediaStore } from '../../../src/storage/disk/media-store.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/open.ts';

const [path, folder] = process.argv.slice(2) as [string, string];
const clock = { now: () => Date.UTC(2026, 10, 21) };
const store = await openSqliteStore({ path: join(folder, 'once.db'), clock });
const media = await openDiskMediaStore({ folder: join(folder, 'media') });
const stdout = new PassThrough();
const output = openOutput({ json: true, stdout, stderr: process.stderr });
await importTracks([path], {}, { store, media, clock, by: 'test:once' }, output);
await store.close();
const cpu = process.cpuUsage();
process.stdout.write(
  JSON.stringify({
    ...JSON.parse(String(stdout.read())),
    peakMB: process.resourceUsage().maxRSS / 1024,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  }),
);
