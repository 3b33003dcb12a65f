// Runs `stave import PATH` on a new catalog in FOLDER and prints what it used: `import-once.ts PATH FOLDER [MAPPING]`.
import { existsSync, readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

// As main.ts does. It saves the memory in which Node compiles modules.
enableCompileCache();

const { importTracks } = await import('../../../src/operator/cli/import/import.ts');
const { openOutput } = await import('../../../src/operator/cli/terminal/output.ts');
const { openDiskMediaStore } = await import('../../../src/engines/blobs/disk/media-store.ts');
const { silentLog } = await import('../../../src/common/log.ts');
const { openSqliteStore } = await import('../../../src/app/open/open-sqlite.ts');
const { ORIGINAL_STREAMS } = await import('../stream-settings.ts');

/**
 * The peak memory of this process in kilobytes. `maxRSS` counts the memory of the parent, too, as it was when it started
 * this process (Linux sets it in `exec_mmap`), so Linux reads the peak of this program.
 */
function peakKilobytes(): number {
  const status = '/proc/self/status';
  if (!existsSync(status)) return process.resourceUsage().maxRSS;
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))![1]);
}

const [path, folder, map] = process.argv.slice(2) as [string, string, string?];
const clock = { now: () => Date.UTC(2026, 10, 21) };
const store = await openSqliteStore({ path: join(folder, 'once.db'), clock });
const media = await openDiskMediaStore({ folder: join(folder, 'media') });
const stdout = new PassThrough();
const output = openOutput({ json: true, stdout, stderr: process.stderr });
const options = map === undefined ? {} : { map };
const context = {
  config: { dataFolder: folder, ...ORIGINAL_STREAMS },
  store,
  media,
  clock,
  log: silentLog,
};
await importTracks([path], options, { ...context, by: 'test:once' }, output);
await store.close();
const cpu = process.cpuUsage();
process.stdout.write(
  JSON.stringify({
    ...JSON.parse(String(stdout.read())),
    peakMB: peakKilobytes() / 1024,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  }),
);
