import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MODES } from '../../src/common/caller.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';
import { fieldsOfRefusal } from './bad-input-support.ts';

const TRACKS = deliveries(100);
const NOBODY = '00000000-0000-4000-8000-00000000000A';
const BY = 'test:harness';

interface Item {
  id: string;
  slug: string;
  streamUrl: string;
  streamUrlExpiresAt: string;
}

let server: TestServer;
let client: TestClient;
let token: string;
/** All tracks, as the list shows them. */
let listed: Item[];
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  client = await server.createClient();
  token = await client.token();
  listed = (await server.call('listTracks', { token, query: { pageSize: 100 } })).data.items;
});
afterAll(() => server?.close());

/** The two operations, which follow the same rules. */
const OPERATIONS = [
  { operationId: 'batchTracks', member: 'tracks', idOf: (item: { id: string }) => item.id },
  {
    operationId: 'signStreams',
    member: 'trackIds',
    idOf: (item: { trackId: string }) => item.trackId,
  },
] as const;

const batch = async (...tracks: string[]) =>
  (await server.call('batchTracks', { token, body: { tracks } })).data;
const withoutUrl = ({ streamUrl, streamUrlExpiresAt, ...track }: Item) => track;

describe.each(OPERATIONS)('$operationId', ({ operationId, member, idOf }) => {
  const request = async (names: readonly string[], as = token) => {
    const { status, data } = await server.call(operationId, {
      token: as,
      body: { [member]: names },
    });
    expect(status).toBe(200);
    return { ids: data.items.map(idOf), notFound: data.notFound };
  };

  it('keeps any order, ignores case, and returns each track once', async () => {
    const number = fc.nat({ max: TRACKS.length - 1 });
    const name = fc.record({ number, isUpperCase: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 100 }), async (names) => {
        const asked = names.map(({ number: n, isUpperCase }) =>
          isUpperCase ? TRACKS[n]!.id.toUpperCase() : TRACKS[n]!.id,
        );
        const ids = [...new Set(names.map(({ number: n }) => TRACKS[n]!.id))];
        expect(await request(asked)).toEqual({ ids, notFound: [] });
      }),
      { numRuns: 30 },
    );
  });

  it('returns all of a hundred tracks', async () => {
    const ids = listed.map(({ id }) => id).toReversed();
    expect(await request(ids)).toEqual({ ids, notFound: [] });
  });

  it('lists unknown names once, at their first place, as they were sent', async () => {
    const { id } = TRACKS[0]!;
    const other = NOBODY.replace('A', 'B');
    expect(await request([other, NOBODY, id, NOBODY.toLowerCase(), NOBODY])).toEqual({
      ids: [id],
      notFound: [other, NOBODY],
    });
    expect(await request([NOBODY])).toEqual({ ids: [], notFound: [NOBODY] });
  });

  it('does not find a track that was taken down, until it is restored', async () => {
    const [first, second] = [TRACKS[7]!.id, TRACKS[8]!.id];
    const found = { ids: [first, second], notFound: [] };
    expect(await request([first, second])).toEqual(found);
    await setTrackState(server.operator.store, first, 'taken_down', BY);
    await server.until(async () => (await request([first, second])).notFound.length === 1);
    expect(await request([first, second])).toEqual({ ids: [second], notFound: [first] });
    await setTrackState(server.operator.store, first, 'live', BY);
    await server.until(async () => (await request([first, second])).notFound.length === 0);
    expect(await request([first, second])).toEqual(found);
  });

  it.each<[unknown, string]>([
    [[], ''],
    [Array(101).fill(NOBODY), ''],
    ['night-ferry', ''],
    [null, ''],
    [[''], '[0]'],
    [[NOBODY, 5], '[1]'],
    [['a'.repeat(201)], '[0]'],
    [['\u0000'], '[0]'],
  ])('refuses %j', async (names, place) => {
    const options = { token, body: { [member]: names } };
    expect(await fieldsOfRefusal(server, operationId, options)).toEqual([member + place]);
  });

  it('refuses an absent list and an unknown member', async () => {
    const refused = (body: object) => fieldsOfRefusal(server, operationId, { token, body });
    expect(await refused({})).toEqual([member]);
    expect(await refused({ [member]: [NOBODY], locale: 'de' })).toEqual(['locale']);
  });

  it('counts as one request, and ignores an Idempotency-Key', async () => {
    const limited = await (await server.createClient({ rateLimit: 5 })).token();
    const body = { [member]: TRACKS.map(({ id }) => id) };
    for (const remaining of ['4', '3', '2']) {
      const headers = { 'Idempotency-Key': '"no end' };
      const response = await server.call(operationId, { token: limited, body, headers });
      expect(response.status).toBe(200);
      expect(response.headers['ratelimit-remaining']).toBe(remaining);
    }
  });

  it('signs URLs for the client and the mode of the token', async () => {
    const { id } = TRACKS[3]!;
    const other = await server.createClient();
    for (const mode of [...MODES, ...MODES]) {
      for (const one of [client, other]) {
        const options = { token: await one.token({ mode }), body: { [member]: [id] } };
        const [item] = (await server.call(operationId, options)).data.items;
        const { pathname, searchParams, href } = new URL(item.streamUrl);
        expect(pathname).toBe(`/media/stream/${id}`);
        expect(searchParams.get('client')).toBe(one.clientId);
        expect(searchParams.get('mode')).toBe(mode);
        const issuedAt = Number(searchParams.get('issued')) * 1000;
        expect(Date.parse(item.streamUrlExpiresAt)).toBe(issuedAt + 1_800_000);
        // These tracks have no audio: a valid URL gets 404, an invalid one 403.
        const { status } = await server.http.send('GET', href.slice(server.address.length));
        expect(status).toBe(404);
      }
    }
  });
});

describe.each(OPERATIONS)('repeated requests for $operationId', ({ operationId, member }) => {
  it('get URLs that expire later once their time of issue has passed', async () => {
    const body = { [member]: [TRACKS[5]!.id, NOBODY] };
    const expiry = async () => {
      const { items, notFound } = (await server.call(operationId, { token, body })).data;
      expect(notFound).toEqual([NOBODY]);
      return Date.parse(items[0].streamUrlExpiresAt);
    };
    // The third one is answered from the cache.
    for (let i = 0; i < 3; i++) await expiry();
    const before = await expiry();
    server.clock.advance(20);
    expect((await expiry()) - before).toBeGreaterThanOrEqual(20_000);
  });
});

describe('POST /v1/tracks/batch', () => {
  it('returns what the list returns, by slug and by id in any case', async () => {
    const names = listed.map(({ id, slug }, i) => {
      const name = i % 2 === 0 ? id : slug;
      return i % 3 === 0 ? name.toUpperCase() : name;
    });
    // The third request is answered from the cache if the names fit a key of it.
    for (const asked of [names, names, names, names.slice(0, 20), names.slice(0, 20)]) {
      const { items, notFound } = await batch(...asked);
      expect(items.map(withoutUrl)).toEqual(listed.slice(0, asked.length).map(withoutUrl));
      expect(notFound).toEqual([]);
    }
  });

  it('returns a track once that is named by its slug and its id', async () => {
    const [one, two] = listed as [Item, Item];
    const named = [two.slug, one.id, two.id, one.slug.toUpperCase(), two.slug];
    const { items, notFound } = await batch(...named);
    expect(items.map(({ id }: Item) => id)).toEqual([two.id, one.id]);
    expect(notFound).toEqual([]);
  });

  it('lists unknown names of any script', async () => {
    const names = ['夜の海', '\u{1F3B5}', "' OR 1=1 --", '%', 'a,b', 'x'.repeat(200), 'batch'];
    expect(await batch(...names, 'BATCH')).toEqual({ items: [], notFound: names });
  });

  it('lists the slug and the id of a track that was taken down', async () => {
    const { id, slug } = listed[50]!;
    await setTrackState(server.operator.store, id, 'taken_down', BY);
    await server.until(async () => (await batch(id)).notFound.length === 1);
    expect(await batch(id, slug)).toEqual({ items: [], notFound: [id, slug] });
  });

  it('finds the track that got the slug of a removed one', async () => {
    const slug = 'passed-on';
    const [former, latter] = [1_001, 1_002].map((number) => ({
      ...delivery(number, { slug }),
      source: `of-${number}`,
    }));
    // A different second name makes a request that the response cache does not have.
    let requests = 0;
    const found = async () => (await batch(slug, `x${requests++}`)).items[0]?.id;
    await server.deliver([former!]);
    await server.until(async () => (await found()) === former!.id);
    expect(await found()).toBe(former!.id);
    await server.operator.store.catalog.removeSource(former!.source, BY);
    await server.until(async () => (await found()) === undefined);
    await server.deliver([latter!]);
    await server.until(async () => (await found()) === latter!.id);
  });

  it('shows a change within a second', async () => {
    const { id, slug } = listed[60]!;
    const delivered = TRACKS.find((one) => one.id === id)!;
    await batch(slug);
    await server.deliver([{ ...delivered, name: 'Renamed' }]);
    await server.until(async () => (await batch(slug)).items[0].name === 'Renamed');
  });
});

describe.each(['batch', 'stream-urls'])('/v1/tracks/%s', (word) => {
  const send = (method: string, headers = {}) =>
    server.http.send(method, `/v1/tracks/${word}`, {
      Authorization: `Bearer ${token}`,
      ...headers,
    });

  it('is a reserved slug for GET: no track has it', async () => {
    const { status, body } = await send('GET');
    expect(status).toBe(404);
    expect(JSON.parse(body.toString('utf8')).error.type).toBe('not_found');
    expect((await send('HEAD')).status).toBe(404);
    expect((await send('GET', { Authorization: '' })).status).toBe(401);
  });

  it.each(['PUT', 'PATCH', 'DELETE'])('allows GET, HEAD and POST, but not %s', async (method) => {
    const { status, headers } = await send(method);
    expect(status).toBe(405);
    const allowed = String(headers.allow).split(', ').sort();
    expect(allowed).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
  });
});
