import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  someTracks,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { ON_POSTGRES } from '../harness/services.ts';

// One track, one playlist, one client, one license: no command may say "1 tracks".
let data: TemporaryFolder;
beforeAll(async () => {
  data = temporaryFolder();
  writeFileSync(data.at('one.ndjson'), someTracks(1));
  await staveJson(data.path, ['import', data.at('one.ndjson'), '--source', 'acme']);
  await staveJson(data.path, ['playlists', 'create', '--name', 'One', '--tracks', 'track-1']);
  await staveJson(data.path, ['clients', 'create', '--name', 'One', '--scopes', 'tracks']);
});
afterAll(() => data[Symbol.dispose]());

it('import uses the singular', async () => {
  await staveJson(data.path, ['tracks', 'takedown', 'track-1']);
  const ran = await stave(data.path, ['import', data.at('one.ndjson'), '--source', 'acme']);
  expect(ran.stdout).toMatch(/; 1 stays down\.\n$/);
  expect(ran.stderr).toContain('1 of the tracks stays down, because it was taken down: track-1 (');
  await staveJson(data.path, ['tracks', 'restore', 'track-1']);
});

it('import --prune uses the singular', async () => {
  writeFileSync(data.at('other.ndjson'), someTracks(1).replace('t1', 'other'));
  const args = ['import', data.at('other.ndjson'), '--source', 'acme', '--prune', '--dry-run'];
  const { stderr } = await stave(data.path, args);
  expect(stderr).toContain('it would withdraw 1 of the 1 live track of acme');
});

it('licenses import uses the singular', async () => {
  const sold = { externalId: '1', track: 'track-1', mode: 'live', licensedAt: '2026-11-02' };
  writeFileSync(data.at('sold.ndjson'), JSON.stringify(sold));
  const { stdout } = await stave(data.path, ['licenses', 'import', data.at('sold.ndjson')]);
  expect(stdout).toMatch(/^Read 1 license: /);
});

it('doctor uses the singular', async () => {
  const { stdout } = await stave(data.path, ['doctor']);
  expect(stdout).toContain('1 track live, 0 taken down');
});

it.skipIf(ON_POSTGRES)('backup uses the singular', async () => {
  using elsewhere = temporaryFolder();
  const { stdout } = await stave(data.path, ['backup', elsewhere.at('backup')]);
  expect(stdout).toMatch(/: 1 track, 1 playlist, 1 client, 0 media files, /);
});
