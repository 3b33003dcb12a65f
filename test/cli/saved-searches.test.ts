import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  openStoreOf,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';

const ID = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';

let folder: TemporaryFolder;
let data: string;
let clientId: string;
beforeAll(async () => {
  folder = temporaryFolder();
  data = folder.at('data');
  const create = ['clients', 'create', '--name', 'Acme', '--scopes', 'tracks'];
  ({ clientId } = await staveJson(data, create));
  const store = await openStoreOf(data);
  await store.savedSearches.create(
    { id: ID, name: 'Calm\u0007 nights', query: '{"query":"night"}', notify: true },
    { actor: `client:${clientId}`, clientId, mode: 'test' },
  );
  await store.close();
});
afterAll(() => folder[Symbol.dispose]());

it('stave saved-searches list shows the saved searches of a client in both modes', async () => {
  const args = ['saved-searches', 'list', '--client', clientId];
  const time = expect.stringMatching(/Z$/);
  expect(await staveJson(data, args)).toEqual([
    {
      ...{ id: ID, name: 'Calm\u0007 nights', search: { query: 'night' }, notify: true },
      ...{ seenAt: time, version: 1, createdAt: time, updatedAt: time, mode: 'test' },
    },
  ]);
  const { stdout } = await stave(data, args);
  expect(stdout).toMatch(/nights +test +yes .*"query":"night"/);
  expect(stdout).not.toContain('\u0007');
  const unknown = await stave(data, ['saved-searches', 'list', '--client', 'nobody']);
  expect(unknown).toMatchObject({ code: 1 });
});
