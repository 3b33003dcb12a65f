import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { items } from '../contract/collections-support.ts';
import {
  openStoreOf,
  someTracks,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { setTrackState } from '../harness/track-state.ts';

const ID = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';

let folder: TemporaryFolder;
let data: string;
let clientId: string;
let trackIds: string[];
beforeAll(async () => {
  folder = temporaryFolder();
  data = folder.at('data');
  writeFileSync(folder.at('tracks.ndjson'), someTracks(2));
  await staveJson(data, ['import', folder.at('tracks.ndjson')]);
  ({ clientId } = await staveJson(data, [
    'clients',
    'create',
    '--name',
    'Acme',
    '--scopes',
    'tracks',
  ]));
  const store = await openStoreOf(data);
  trackIds = [];
  for await (const documents of store.catalog.liveDocuments(0)) {
    trackIds.push(...documents.map(({ document }) => document.id));
  }
  const [first, second] = trackIds;
  const given = [items(first!)[0]!, { ...items(second!)[0]!, note: 'last\u0007' }];
  await store.collections.create(
    { id: ID, name: 'Spring', description: '', items: given },
    { actor: `client:${clientId}`, clientId, mode: 'test' },
  );
  await setTrackState(store, first!, 'taken_down', 'test:harness');
  await store.close();
});
afterAll(() => folder[Symbol.dispose]());

const COLLECTION = {
  id: ID,
  name: 'Spring',
  description: '',
  trackCount: 1,
  unavailableCount: 1,
  durationSeconds: expect.any(Number),
  owner: true,
  sharedWith: 0,
  version: 1,
  createdAt: expect.stringMatching(/Z$/),
  updatedAt: expect.stringMatching(/Z$/),
  by: { type: 'client', name: 'Acme' },
};

it('stave collections list shows the collections of a client in both modes', async () => {
  const args = ['collections', 'list', '--client', clientId];
  expect(await staveJson(data, args)).toEqual([{ ...COLLECTION, mode: 'test' }]);
  expect((await stave(data, args)).stdout).toMatch(/Spring +test +1 +1 +0/);
  const unknown = await stave(data, ['collections', 'list', '--client', 'nobody']);
  expect(unknown).toMatchObject({ code: 1 });
  expect(unknown.stderr).toContain('no client nobody');
});

it('stave collections show lists the tracks, also those that were taken down', async () => {
  const args = ['collections', 'show', ID.toUpperCase()];
  const addedAt = expect.stringMatching(/Z$/);
  expect(await staveJson(data, args)).toEqual({
    ...COLLECTION,
    clientId,
    mode: 'test',
    tracks: [
      { position: null, trackId: trackIds[0], note: '', addedAt },
      { position: 1, trackId: trackIds[1], note: 'last\u0007', addedAt },
    ],
  });
  const { stdout } = await stave(data, args);
  expect(stdout).toMatch(/tracks +1 live, 1 taken down/);
  expect(stdout).not.toContain('\u0007');
  const unknown = await stave(data, ['collections', 'show', 'nothing']);
  expect(unknown.stderr).toBe('stave: There is no collection nothing.\n');
});
