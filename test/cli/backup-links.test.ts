import { hash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { lockDataFolder } from '../../src/app/open/data-folder-lock.ts';
import { systemClock } from '../../src/common/clock.ts';
import { newId } from '../../src/common/ids.ts';
import { openStoreOf, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { releaseStores, unpackData } from '../releases/release-stores.ts';
import { filesBelow } from './backup-support.ts';

/** Makes a link with this token, and returns its id. */
async function linkOf(
  { links }: Awaited<ReturnType<typeof openStoreOf>>,
  collection: string,
  token: string,
  clientId: string,
) {
  const terms = { label: '', password: null, streams: 'full', comments: true } as const;
  const by = { type: 'client', name: 'Acme' } as const;
  const link = { id: newId(), token, by, expiresAt: Date.now() + 86_400_000, ...terms };
  await links.create(collection, link, { actor: `client:${clientId}`, clientId, mode: 'live' });
  return link.id;
}

it('a restore ends the links that the log of the folder before shows as ended, and says how many', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const terms = ['--scopes', 'tracks', '--features', 'saved-searches'];
  const { clientId } = await staveJson(data, ['clients', 'create', '--name', 'Acme', ...terms]);
  const me = { actor: `client:${clientId}`, clientId, mode: 'live' } as const;
  const before = await openStoreOf(data);
  const id = newId();
  await before.collections.create({ id, name: 'C', description: '', items: [] }, me);
  const [kept, ended] = ['KeptLinkOfThisService0', 'EndedLinkOfThisService'];
  await linkOf(before, id, kept!, clientId);
  const endedId = await linkOf(before, id, ended!, clientId);
  await before.close();
  await staveJson(data, ['backup', folder.at('backups')]);
  const later = await openStoreOf(data);
  await later.links.end(id, endedId, () => {}, me);
  // As after the end of a machine: what was written last is only in the write-ahead log.
  cpSync(data, folder.at('old'), { recursive: true });
  await later.close();
  const old = stateOf(folder.at('old'));
  expect(old).toContainEqual(expect.stringMatching(/^stave\.db-wal [1-9]/));

  const restore = (to: string, ...options: string[]) =>
    stave(folder.at(to), ['restore', folder.at('backups'), ...options]);
  const live = async (to: string) => {
    const store = await openStoreOf(folder.at(to));
    try {
      const found = await Promise.all([kept!, ended!].map((token) => store.links.live(token)));
      return found.map((link) => link !== undefined);
    } finally {
      await store.close();
    }
  };
  expect((await restore('plain')).code).toBe(0);
  expect(await live('plain')).toEqual([true, true]);
  const ran = await restore('safe', '--log-of', folder.at('old'));
  expect(ran.stdout + ran.stderr).toContain('; 1 link to collections ended, as the log of ');
  expect(await live('safe')).toEqual([true, false]);
  expect(stateOf(folder.at('old'))).toEqual(old);

  mkdirSync(folder.at('empty'));
  const refused = await restore('other', '--log-of', folder.at('empty'));
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^stave: \S+ holds no catalog whose log could be read\n$/);

  using _lock = await lockDataFolder(data, systemClock, { command: 'stave serve' });
  const used = await restore('other', '--log-of', data);
  expect(used).toMatchObject({ code: 1, stdout: '' });
  expect(used.stderr).toMatch(/^stave: \S+ is in use by `stave serve` \(process \d+\): stop it/);
});

it('a restore reads the log of an earlier version, and of no later one, without changing the folder', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const [release] = releaseStores();
  unpackData(release!, data);
  unpackData(release!, folder.at('later'));
  const database = new DatabaseSync(join(folder.at('later'), 'stave.db'));
  database.exec('PRAGMA user_version = 9999');
  database.close();
  const before = ['data', 'later'].map((name) => stateOf(folder.at(name)));
  await staveJson(folder.at('new'), ['backup', folder.at('backups')]);
  const restore = (to: string, from: string) =>
    stave(folder.at(to), ['restore', folder.at('backups'), '--log-of', folder.at(from)]);
  const ran = await restore('restored', 'data');
  expect(ran.stdout + ran.stderr).toContain('; 0 links to collections ended, as the log of ');
  const refused = await restore('other', 'later');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^stave: [^\n]*\/later\/stave\.db[^\n]*\n$/);
  expect(['data', 'later'].map((name) => stateOf(folder.at(name)))).toEqual(before);
});

/** The files of a folder with their sizes, times of change and hashes. */
function stateOf(folder: string): string[] {
  return filesBelow(folder).map((name) => {
    const path = join(folder, name);
    const { size, mtimeMs } = statSync(path);
    return `${name} ${size} ${mtimeMs} ${hash('sha256', readFileSync(path))}`;
  });
}
