import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { lockDataFolder } from '../../src/app/open/data-folder-lock.ts';
import { systemClock } from '../../src/common/clock.ts';
import {
  someTracks,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';

const service = { command: 'stave serve', address: '127.0.0.1:8080' };
const REFUSED = new RegExp(
  `^stave: The data folder \\S+ is in use by \`stave serve\` \\(process ${process.pid} on [^\\n]+ at 127\\.0\\.0\\.1:8080[^\\n]+\\n$`,
);

/** Makes a catalog of ten tracks in the folder `data`, and its backup in `backup`. */
async function backedUp(folder: TemporaryFolder): Promise<void> {
  writeFileSync(folder.at('tracks.ndjson'), someTracks(10));
  await staveJson(folder.at('data'), ['import', folder.at('tracks.ndjson')]);
  using _lock = await lockDataFolder(folder.at('data'), systemClock, service);
  await staveJson(folder.at('data'), ['backup', folder.at('backup')]);
}

it('a backup is made beside a service, and a restore refuses the folder of a service without a database', async () => {
  using folder = temporaryFolder();
  await backedUp(folder);
  expect(readdirSync(folder.at('backup')).sort()).toEqual([
    'backups',
    'databases',
    'lock',
    'lock.db',
    'media',
  ]);
  const other = folder.at('other');
  {
    using _lock = await lockDataFolder(other, systemClock, service);
    const ran = await stave(other, ['restore', folder.at('backup')]);
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(REFUSED) });
    expect(readdirSync(other).sort()).toEqual(['lock', 'lock.db']);
  }
  expect((await staveJson(other, ['restore', folder.at('backup')])).counts.live).toBe(10);
});

it('of restores into one folder at once, one succeeds, and none removes what another one copies', async () => {
  using folder = temporaryFolder();
  await backedUp(folder);
  const other = folder.at('other');
  mkdirSync(folder.at('other', '.restore-killed'), { recursive: true });
  const live = folder.at('other', '.restore-live');
  {
    using _live = await lockDataFolder(live, systemClock, { command: 'stave restore' });
    const restore = () => stave(other, ['restore', folder.at('backup'), '--json']);
    const ran = await Promise.all([restore(), restore(), restore()]);
    expect(ran.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
    for (const { code, stderr } of ran) {
      const refused =
        /^stave: [^\n]* (?:already holds a catalog|is in use by `stave restore`)[^\n]*\n$/;
      expect(stderr).toMatch(code === 0 ? /^$/ : refused);
    }
    expect(readdirSync(other).sort()).toEqual(['.restore-live', 'lock', 'lock.db', 'stave.db']);
  }
  expect((await stave(other, ['doctor', '--json'])).json.healthy).toBe(true);
});

it('migrate-store refuses the folder of a service as its target, and not as its source', async () => {
  using folder = temporaryFolder();
  await backedUp(folder);
  const [data, other] = [folder.at('data'), folder.at('other')];
  using _source = await lockDataFolder(data, systemClock, service);
  const move = () => stave(data, ['migrate-store', '--to', `sqlite:${other}`, '--json']);
  {
    using _target = await lockDataFolder(other, systemClock, service);
    expect(await move()).toMatchObject({ code: 1, stderr: expect.stringMatching(REFUSED) });
    expect(readdirSync(other).sort()).toEqual(['lock', 'lock.db']);
  }
  expect((await move()).json.tables.tracks.rows).toBe(10);
});
