import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updateClient } from '../../src/features/access/clients.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

type TestClient = Awaited<ReturnType<TestServer['createClient']>>;
type Options = NonNullable<Parameters<TestServer['call']>[1]>;

const UNKNOWN = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';
const TRACK = delivery(0).id;
const ANY_VERSION = { 'If-Match': '*' };

let server: TestServer;
let owner: TestClient;
/** A client of the account of the owner, with which nothing is shared, one with which the collection is, and others. */
let mate: TestClient;
let reader: TestClient;
let stranger: TestClient;
let alone: TestClient;
let collection: string;
let savedSearch: string;

beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(3) });
  const create = () => server.createClient({ features: ['saved-searches'] });
  [owner, mate, reader, stranger, alone] = [
    await create(),
    await create(),
    await create(),
    await create(),
    await create(),
  ];
  for (const one of [owner, mate, reader]) await moveTo(one, 'Acme');
  await moveTo(stranger, 'Other');
  const token = await owner.token();
  const created = await server.call('createCollection', {
    token,
    body: { name: 'C', tracks: [TRACK] },
  });
  collection = created.data.id;
  const params = { id: collection, clientId: reader.clientId };
  expect((await server.call('shareCollection', { token, params, body: {} })).status).toBe(200);
  const search = { name: 'S', search: { query: 'night' } };
  savedSearch = (await server.call('createSavedSearch', { token, body: search })).data.id;
});
afterAll(() => server?.close());

async function moveTo({ clientId }: TestClient, account: string): Promise<void> {
  const deps = { store: server.operator.store, clock: server.clock, by: 'test:harness' } as const;
  await updateClient(deps, clientId, { account });
}

/** Every request that names a collection and changes it. */
const COLLECTION_EDITS: readonly [operation: string, options: Options][] = [
  ['updateCollection', { headers: ANY_VERSION, body: { name: 'N' } }],
  ['deleteCollection', { headers: ANY_VERSION }],
  ['addCollectionItems', { body: { items: [{ track: TRACK }] } }],
  ['addCollectionItems', { body: { items: [], position: 99 } }],
  ['removeCollectionItems', { body: { tracks: [TRACK] } }],
  ['replaceCollectionItems', { headers: ANY_VERSION, body: { items: [{ track: TRACK }] } }],
  ['replaceCollectionItems', { headers: ANY_VERSION, body: { items: [{ track: 'none' }] } }],
  ['updateCollectionItem', { headers: ANY_VERSION, body: { note: 'x' } }],
  ['updateCollectionItem', { headers: { 'If-Match': '"9"' }, body: { position: 99 } }],
  ['shareCollection', { body: {} }],
  ['unshareCollection', {}],
  ['listCollectionShares', {}],
];
const COLLECTION_READS: typeof COLLECTION_EDITS = [
  ['showCollection', {}],
  ['listCollectionTracks', {}],
];
const SEARCHES: typeof COLLECTION_EDITS = [
  ['showSavedSearch', {}],
  ['listSavedSearchTracks', {}],
  ['updateSavedSearch', { headers: ANY_VERSION, body: { name: 'N' } }],
  ['deleteSavedSearch', { headers: ANY_VERSION }],
  ['markSavedSearchSeen', { body: {} }],
  ['markSavedSearchSeen', { body: { seq: 1 } }],
];

/** The bytes of a 404, without what may differ. */
async function bytesOf(
  operation: string,
  options: Options,
  { token, params }: { token: string; params: Record<string, string> },
): Promise<string> {
  const { status, body, headers } = await server.call(operation, { ...options, token, params });
  expect([operation, status]).toEqual([operation, 404]);
  const { date: _, 'x-request-id': __, ...rest } = headers;
  const text = body.toString().replace(/"requestId":"[^"]+"/, '');
  const ids = Object.values(params).reduce((shown, id) => shown.replaceAll(id, 'ID'), text);
  const shown = Object.entries(rest).filter(([name]) => !name.startsWith('ratelimit'));
  return JSON.stringify([ids, shown]);
}

const someToken = {
  'another client of the account': () => mate.token(),
  'a client of another account': () => stranger.token(),
  'a client without an account': () => alone.token(),
  'the other mode': () => owner.token({ mode: 'live' }),
};

describe.each(Object.entries(someToken))('for %s', (_, tokenOf) => {
  it.each([...COLLECTION_READS, ...COLLECTION_EDITS])(
    '%s of a collection looks like one of none',
    async (operation, options) => {
      const token = await tokenOf();
      const common = { trackId: TRACK, clientId: reader.clientId };
      const answers = [];
      for (const id of [collection, UNKNOWN]) {
        answers.push(await bytesOf(operation, options, { token, params: { id, ...common } }));
      }
      expect(answers[0]).toBe(answers[1]);
    },
  );

  it.each(SEARCHES)('%s of a saved search looks like one of none', async (operation, options) => {
    const token = await tokenOf();
    const answers = [];
    for (const id of [savedSearch, UNKNOWN]) {
      answers.push(await bytesOf(operation, options, { token, params: { id } }));
    }
    expect(answers[0]).toBe(answers[1]);
  });
});

it.each(COLLECTION_EDITS)('%s by a reader looks like one of none', async (operation, options) => {
  const token = await reader.token();
  const common = { trackId: TRACK, clientId: mate.clientId };
  const answers = [];
  for (const id of [collection, UNKNOWN]) {
    answers.push(await bytesOf(operation, options, { token, params: { id, ...common } }));
  }
  expect(answers[0]).toBe(answers[1]);
});

it.each(['shareCollection', 'unshareCollection'])(
  '%s with a client of another account looks like one with none',
  async (operation) => {
    const token = await owner.token();
    const options = operation === 'shareCollection' ? { body: {} } : {};
    const answers = new Set<string>();
    for (const clientId of [stranger.clientId, alone.clientId, UNKNOWN]) {
      const params = { id: collection, clientId };
      answers.add(await bytesOf(operation, options, { token, params }));
    }
    expect(answers.size).toBe(1);
  },
);

it('an edit by the slug of a track looks like one of none', async () => {
  const token = await owner.token();
  const { data } = await server.call('showTrack', { token, params: { slug: TRACK } });
  const options = { headers: ANY_VERSION, body: { note: 'x' } };
  const answers = new Set<string>();
  for (const trackId of [data.slug, delivery(1).id, UNKNOWN]) {
    const params = { id: collection, trackId };
    answers.add(await bytesOf('updateCollectionItem', options, { token, params }));
  }
  expect(answers.size).toBe(1);
});

it('a new share with a client that left the account looks like one with none, and the old one counts again later', async () => {
  const token = await owner.token();
  const params = { id: collection, clientId: reader.clientId };
  const none = { id: collection, clientId: UNKNOWN };
  await moveTo(reader, 'Other');
  const left = await bytesOf('shareCollection', { body: {} }, { token, params });
  expect(left).toBe(await bytesOf('shareCollection', { body: {} }, { token, params: none }));
  await moveTo(reader, 'Acme');
  const { data } = await server.call('listCollectionShares', { token, params });
  expect(data.items).toMatchObject([{ clientId: reader.clientId }]);
});

it('nothing of this changed the collection or the saved search', async () => {
  const token = await owner.token();
  const shown = await server.call('showCollection', { token, params: { id: collection } });
  expect(shown.data).toMatchObject({ name: 'C', version: 1, trackCount: 1, sharedWith: 1 });
  const { data } = await server.call('showSavedSearch', { token, params: { id: savedSearch } });
  expect(data).toMatchObject({ name: 'S', version: 1 });
});
