import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { openStoreOf, stave, staveJson, temporaryFolder } from '../harness/cli.ts';

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
  await later.close();

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
  const ran = await restore('safe', '--log-of', data);
  expect(ran.stdout + ran.stderr).toContain('; 1 link to collections ended, as the log of ');
  expect(await live('safe')).toEqual([true, false]);

  mkdirSync(folder.at('empty'));
  const refused = await restore('other', '--log-of', folder.at('empty'));
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^stave: \S+ holds no catalog whose log could be read\n$/);
});
