import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { renewLogEpoch } from '../../src/engines/change-log/positions.ts';
import { updateClient } from '../../src/features/access/clients.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { type TemporaryFolder, temporaryFolder } from '../harness/cli.ts';
import {
  changeBody,
  type FaultyProxy,
  openFaultyProxy,
  respondWith,
} from '../harness/faulty-proxy.ts';
import { differencesOf, Mirror } from '../harness/mirror.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';

const SNAPSHOT = '/v1/tracks/snapshot';
const CHANGES = '/v1/tracks/changes';
const TOKEN = '/v1/auth/token';
/** Some more than the tracks before the first mark of a snapshot. */
const TRACKS = 10_020;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(TRACKS) });
});
afterAll(() => server?.close());

let folder: TemporaryFolder;
let proxy: FaultyProxy;
let clientId: string;
let mirror: Mirror;
let token: string;
beforeEach(async () => {
  folder = temporaryFolder();
  proxy = await openFaultyProxy(server.address);
  const client = await server.createClient({
    scopes: ['tracks', 'changes'],
    features: ['changes'],
  });
  clientId = client.clientId;
  token = await client.token();
  mirror = new Mirror(folder.at('copy.db'), proxy.url, { clientId, secret: client.testSecret });
});
afterEach(async () => {
  await mirror[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const paths = () => proxy.requests.map(({ path }) => path);
const requestsOf = (path: string) => proxy.requests.filter((one) => one.path.startsWith(path));

/** Waits until the copy has all changes. */
async function complete(): Promise<void> {
  const head = await server.operator.store.changes.head();
  await until(() => mirror.position() >= head, 'the mirror to be complete', 110_000);
}

/** Waits until the copy has all changes, and compares some of its tracks with the catalog. */
async function expectEqual(): Promise<void> {
  await complete();
  const { data } = await server.call('listTracks', { token, query: { pageSize: 100 } });
  expect(mirror.tracks().size).toBe(data.totalRecords);
  const ids = new Set<string>(data.items.map(({ id }: { id: string }) => id));
  const some = new Map([...mirror.tracks()].filter(([id]) => ids.has(id)));
  const get = async (path: string) => {
    if (path.endsWith('&page=1')) return data;
    if (path.includes('?')) return { items: [] };
    return (await server.call('showTrack', { token, params: { slug: path.split('/').at(-1)! } }))
      .data;
  };
  expect(await differencesOf({ tracks: () => some }, get)).toEqual({
    compared: 100,
    differing: [],
  });
}

/** A snapshot whose connection breaks some tracks after its mark. */
const breakAfterMark = () =>
  changeBody(server.address, (body) => {
    const end = body.indexOf('\n', body.indexOf('"type":"mark"') + 5_000);
    return { body: body.slice(0, end + 100), isBrokenOff: true };
  });

describe('the example client that mirrors the catalog', () => {
  it('continues a snapshot that broke off at its mark, also after kill -9', async () => {
    proxy.meet(SNAPSHOT, breakAfterMark());
    proxy.meet(SNAPSHOT, respondWith(503, { 'retry-after': '60' }));
    mirror.start();
    await until(() => requestsOf(SNAPSHOT).length === 2);
    expect(mirror.tracks().size).toBe(10_000);
    expect(mirror.position()).toBe(-1);
    await mirror.kill();
    await server.deliver([delivery(3, { name: 'Between' }), delivery(TRACKS)]);
    mirror.start();
    await expectEqual();
    const [first, ...others] = requestsOf(SNAPSHOT).map(({ path }) => path);
    expect(first).toBe(SNAPSHOT);
    expect(others).toEqual(Array(2).fill(expect.stringContaining('?resume=r1.')));
  });

  it('starts over after damage, without the damaged tracks', async () => {
    proxy.meet(
      SNAPSHOT,
      changeBody(server.address, (body) => ({ body: body.replace('Night Ferry', 'Night Fairy') })),
    );
    mirror.start();
    await expectEqual();
    expect([...mirror.tracks().values()].join()).not.toContain('Night Fairy');
    expect(requestsOf(SNAPSHOT).map(({ path }) => path)).toEqual([SNAPSHOT, SNAPSHOT]);
  });

  it('starts over if its position is gone, and drops what is gone from the catalog', async () => {
    mirror.start();
    await complete();
    await mirror.kill();
    const { store } = server.operator;
    const { id } = delivery(7);
    await setTrackState(store, id, 'taken_down', 'test:harness');
    // The takedown is before the new history, so no change reports it.
    await renewLogEpoch(store.settings);
    expect(mirror.tracks().has(id)).toBe(true);
    mirror.start();
    await until(() => !mirror.tracks().has(id));
    await expectEqual();
    expect(requestsOf(SNAPSHOT).map(({ path }) => path)).toEqual([SNAPSHOT, SNAPSHOT]);
  });

  it('waits as long as a 429 and a 503 ask for, and repeats what broke off', async () => {
    mirror.start();
    await complete();
    proxy.meet(CHANGES, respondWith(429, { 'retry-after': '2' }));
    proxy.meet(CHANGES, respondWith(503, { 'retry-after': '1' }));
    proxy.meet(CHANGES, (_, outgoing) => void outgoing.destroy());
    proxy.meet(CHANGES, respondWith(502));
    const before = requestsOf(CHANGES).length;
    await server.deliver([delivery(5, { name: 'After Failures' })]);
    await until(() => requestsOf(CHANGES).length >= before + 5);
    await expectEqual();
    const times = requestsOf(CHANGES)
      .slice(before)
      .map(({ at }) => at);
    expect(times[1]! - times[0]!).toBeGreaterThan(1_990);
    expect(times[2]! - times[1]!).toBeGreaterThan(990);
  });

  it('renews its token before it expires, and when it is refused', async () => {
    const shorten = changeBody(server.address, (body) => ({
      body: body.replace('"expires_in":3600', '"expires_in":0'),
    }));
    proxy.meet(TOKEN, shorten);
    mirror.start();
    await until(() => paths().length >= 4);
    expect(paths().slice(0, 4)).toEqual([TOKEN, SNAPSHOT, TOKEN, expect.stringContaining(CHANGES)]);
    proxy.meet(CHANGES, respondWith(401));
    await server.deliver([delivery(6, { name: 'With Another Token' })]);
    await until(() => requestsOf(TOKEN).length === 3);
    await expectEqual();
  });

  it('ends with an error that a repetition does not cure', async () => {
    const ends = async (one: Mirror) => {
      one.start();
      await until(() => !one.isRunning);
      expect(one.exitCode).toBe(1);
      return one.output;
    };
    const wrong = new Mirror(folder.at('wrong.db'), proxy.url, {
      clientId,
      secret: 'stave_test_no',
    });
    expect(await ends(wrong)).toContain('got 401');
    const none = new Mirror(folder.at('none.db'), proxy.url, { clientId: '', secret: '' });
    expect(await ends(none)).toContain('client_id');
    const { store } = server.operator;
    const deps = { store, clock: server.clock, by: 'test:harness' as const };
    await updateClient(deps, clientId, { features: [] });
    await server.until(
      async () => (await server.call('readTrackSnapshot', { token })).status === 403,
    );
    expect(await ends(mirror)).toContain('feature_not_enabled');
  });
});

it('the example has under 200 lines', () => {
  const example = new URL('../../examples/mirror/', import.meta.url);
  const files = readdirSync(example).filter((name) => name.endsWith('.ts'));
  const lines = files.flatMap((name) => readFileSync(new URL(name, example), 'utf8').split('\n'));
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.length - files.length).toBeLessThan(200);
});
