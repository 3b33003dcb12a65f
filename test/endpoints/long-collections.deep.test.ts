import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_COLLECTION_TRACKS } from '../../src/features/collections/collection.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const PAGE = 100;
const KIB = 1_024;

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(MAX_COLLECTION_TRACKS) });
  token = await (await server.createClient({ features: ['saved-searches'] })).token();
});
afterAll(() => server?.close());

const call = (operation: string, options: Parameters<TestServer['call']>[1] = {}) =>
  server.call(operation, { token, ...options });

async function create(): Promise<string> {
  return (await call('createCollection', { body: { name: 'C' } })).data.id;
}

const replace = (id: string, body: unknown) =>
  call('replaceCollectionItems', { params: { id }, headers: { 'If-Match': '*' }, body });

it('a list of 10,000 tracks keeps its order', { timeout: 120_000 }, async () => {
  const id = await create();
  // 7 and 10,000 have no common factor, so that each track is there once, far from its neighbors in the catalog.
  const tracks = Array.from(
    { length: MAX_COLLECTION_TRACKS },
    (_, n) => delivery((n * 7) % MAX_COLLECTION_TRACKS).id,
  );
  const { status, data } = await replace(id, { items: tracks.map((track) => ({ track })) });
  expect([status, data.trackCount]).toEqual([200, MAX_COLLECTION_TRACKS]);
  const listed: string[] = [];
  for (let page = 1; page <= MAX_COLLECTION_TRACKS / PAGE; page++) {
    const query = { page, pageSize: PAGE };
    const { data: shown } = await call('listCollectionTracks', { params: { id }, query });
    for (const { position, track } of shown.items) {
      expect(position).toBe(listed.push(track.id));
    }
  }
  expect(listed).toEqual(tracks);

  const full = await call('addCollectionItems', {
    params: { id },
    body: { items: [{ track: tracks[0] }, { track: 'none' }] },
  });
  expect(full.data).toMatchObject({ alreadyPresent: [tracks[0]], notFound: ['none'] });
  const tooMany = await replace(id, { items: [...tracks, 'x'].map((track) => ({ track })) });
  expect(tooMany.error.details).toMatchObject([{ field: 'items' }]);
});

it('a body of a list has 1 MiB at most', async () => {
  const id = await create();
  const padded = (bytes: number) => `{"items":[]${' '.repeat(bytes - 12)}}`;
  expect((await replace(id, padded(KIB * KIB))).status).toBe(200);
  expect((await replace(id, padded(KIB * KIB + 1))).error.type).toBe('payload_too_large');
});

it.each([
  ['addCollectionItems', (n: number) => ({ items: Array(n).fill({ track: 'none' }) }), 'items'],
  ['removeCollectionItems', (n: number) => ({ tracks: Array(n).fill('none') }), 'tracks'],
])('%s takes 500 items and 256 KiB at most', async (operation, bodyOf, field) => {
  const params = { id: await create() };
  const send = (body: unknown) => call(operation, { params, body });
  expect((await send(bodyOf(500))).status).toBe(200);
  const { status, error } = await send(bodyOf(501));
  expect([status, error.details?.map((one) => one.field)]).toEqual([400, [field]]);
  const padded = (bytes: number) => JSON.stringify(bodyOf(1)).padEnd(bytes);
  expect((await send(padded(256 * KIB))).status).toBe(200);
  expect((await send(padded(256 * KIB + 1))).error.type).toBe('payload_too_large');
});
