import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/app/service.ts';
import { silentLog } from '../../src/common/log.ts';
import { delivery } from '../harness/catalog.ts';
import { HttpCaller } from '../harness/http.ts';
import { LICENSEE, publishCard, quoteBody } from '../harness/licensing.ts';
import { someClient } from '../harness/stores.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { startReceiver } from '../harness/webhook-receiver.ts';

const BY = 'test:harness';
const FEATURES = ['licensing', 'changes', 'webhooks'];
const ALWAYS = delivery(0);
const [PERIODIC, MOVING, SOLD] = [1, 2, 3].map((n) => delivery(n));

let server: TestServer;
let second: Service;
let other: HttpCaller;
let client: TestClient;
let token: string;
let playlist: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: [ALWAYS, PERIODIC!, MOVING!, SOLD!] });
  const { config, clock, operator } = server;
  second = await startService({ config, clock, log: silentLog });
  other = new HttpCaller(second.address);
  client = await server.createClient({ features: FEATURES });
  token = await client.token();
  await publishCard(operator.store);
  playlist = someClient().id;
  const details = { id: playlist, name: 'Evening', description: '', createdAt: 1, updatedAt: 1 };
  await operator.store.playlists.create(details, [PERIODIC!.id, ALWAYS.id], BY);
  await operator.store.playlists.grant(playlist, client.clientId, BY);
});
afterAll(async () => {
  other?.close();
  await second?.close();
  await server?.close();
});

const idsOf = (data: { items: { id: string }[] }) => data.items.map(({ id }) => id).sort();
const call = (operation: string, options: object = {}) =>
  server.call(operation, { token, ...options });

/** Whether every way to the periodic track shows it. Throws if only some of them do. */
async function isShown(): Promise<boolean> {
  const { id } = PERIODIC!;
  const searched = await call('searchTracks', { body: { query: 'sunrise', pageSize: 100 } });
  const listed = await call('listTracks', { query: { pageSize: 100 } });
  const inPlaylist = await call('listPlaylistTracks', { params: { idOrSlug: playlist } });
  const shown = await call('showTrack', { params: { slug: id } });
  const headers = { Authorization: `Bearer ${token}` };
  const onOther = await other.send('GET', `/v1/tracks/${id}`, headers);
  const found = [
    ...[searched, listed, inPlaylist].map(({ data }) => idsOf(data).includes(id)),
    ...[shown.status === 200, onOther.status === 200],
  ];
  if (new Set(found).size > 1) throw new Error(`some show it: ${found}`);
  return found[0]!;
}

/** Waits until all of them do, or none of them does. */
const becomes = (shown: boolean) =>
  server.until(() =>
    isShown().then(
      (is) => is === shown,
      () => false,
    ),
  );

async function eventsAfter(cursor: string, id: string): Promise<string[]> {
  const { data } = await call('listTrackChanges', { query: { cursor } });
  return data.items
    .filter(({ trackId }: { trackId: string }) => trackId === id)
    .map(({ type }: { type: string }) => type);
}

describe('a track with a period of availability', () => {
  it('is shown by two nodes, the feed and webhooks only within it', async () => {
    await using receiver = await startReceiver();
    const eventTypes = ['track.taken_down', 'track.restored'];
    const { data: webhook } = await call('createWebhook', {
      body: { url: receiver.url, eventTypes },
    });
    const messages = (): string[] =>
      receiver
        .verified(webhook.secret)
        .flatMap(({ type, data }) =>
          data.items.map(({ trackId }: { trackId: string }) => `${type} ${trackId}`),
        )
        .filter((one) => one.endsWith(PERIODIC!.id));
    const since = new Date(server.clock.now()).toISOString();
    const { data: start } = await call('listTrackChanges', { query: { since, limit: 500 } });

    await becomes(true);
    const { data: before } = await call('showTrack', { params: { slug: PERIODIC!.id } });
    const from = server.clock.now() + 60_000;
    const availability = [{ from, until: from + 60_000 }];
    await server.deliver([{ ...PERIODIC!, availability }]);
    await becomes(false);
    const url = new URL(before.streamUrl);
    server.clock.advance(60);
    await becomes(true);
    server.clock.advance(60);
    await becomes(false);
    const stream = await server.http.send('GET', `${url.pathname}${url.search}`);
    expect(stream.status).toBe(410);

    const expected = ['track.taken_down', 'track.restored', 'track.taken_down'];
    expect(await eventsAfter(start.nextCursor, PERIODIC!.id)).toEqual(expected);
    await server.until(async () => messages().length === 3);
    expect(messages().sort()).toEqual(expected.map((type) => `${type} ${PERIODIC!.id}`).sort());
  });

  it('is switched by a node that starts before it serves', async () => {
    const until = server.clock.now() + 5_000;
    const { config, clock, operator } = server;
    await server.deliver([{ ...PERIODIC!, availability: [{ until }] }]);
    await becomes(true);
    clock.advance(5);
    await using starting = Object.assign(await startService({ config, clock, log: silentLog }), {
      async [Symbol.asyncDispose]() {
        await starting.close();
      },
    });
    expect((await operator.store.catalog.trackRecord(PERIODIC!.id))?.state).toBe('unavailable');
    const http = new HttpCaller(starting.address);
    const headers = { Authorization: `Bearer ${token}` };
    const { status } = await http.send('GET', `/v1/tracks/${PERIODIC!.id}`, headers);
    http.close();
    expect(status).toBe(404);
  });
});

describe('the territories of a track', () => {
  it('restrict licensableIn, and follow the entries in time', async () => {
    const isIn = async (...licensableIn: string[]) => {
      const { data } = await call('searchTracks', { body: { licensableIn, pageSize: 100 } });
      return idsOf(data).includes(MOVING!.id);
    };
    const boundary = server.clock.now() + 30_000;
    await server.deliver([
      {
        ...MOVING!,
        availability: [
          { territories: ['DE'], until: boundary },
          { excludedTerritories: ['DE'], from: boundary },
        ],
      },
    ]);
    await server.until(async () => !(await isIn('WORLD')));
    expect([await isIn('DE'), await isIn('AT'), await isIn('DE', 'AT')]).toEqual([
      true,
      false,
      false,
    ]);
    server.clock.advance(30);
    await server.until(() => isIn('AT'));
    expect([await isIn('DE'), await isIn('AT', 'US'), await isIn('WORLD')]).toEqual([
      ...[false, true, false],
    ]);
  });

  it('restrict quotes and sales, at the time of each', async () => {
    const until = server.clock.now() + 40_000;
    const ending = { territories: ['AT', 'DE'], until };
    const availability = [ending, { territories: ['DE'] }];
    await server.deliver([{ ...SOLD!, availability }]);
    const quote = (territories: string[]) =>
      call('createQuote', { body: quoteBody({ tracks: [SOLD!.id], territories }) });
    const message = 'is not licensable in FR: it is not available there now';
    await server.until(async () => (await quote(['DE', 'FR'])).status === 409);
    expect((await quote(['DE', 'FR'])).error.details).toEqual([{ field: 'tracks[0]', message }]);
    const [both, german] = [(await quote(['AT', 'DE'])).data, (await quote(['DE'])).data];
    const buy = ({ id, termsVersion }: { id: string; termsVersion: string }) =>
      call('createLicense', { body: { quoteId: id, termsVersion, licensee: LICENSEE } });
    server.clock.advance(40);
    const refused = await buy(both);
    expect(refused).toMatchObject({ status: 409, error: { type: 'conflict' } });
    expect(refused.error.message).toContain(
      'is not licensable in AT: it is not available there now',
    );
    expect((await buy(german)).status).toBe(201);
  });

  it('outside of all periods, the track is not for sale, even before it is switched', async () => {
    const until = server.clock.now() + 20_000;
    await server.deliver([{ ...SOLD!, availability: [{ until }] }]);
    const body = quoteBody({ tracks: [SOLD!.id], territories: ['FR'] });
    await server.until(async () => (await call('createQuote', { body })).status === 201);
    server.clock.advance(20);
    expect((await call('createQuote', { body })).status).toBe(404);
  });
});
