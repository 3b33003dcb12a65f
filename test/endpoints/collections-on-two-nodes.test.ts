import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/app/service.ts';
import { silentLog } from '../../src/common/log.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { HttpCaller } from '../harness/http.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const CONNECTIONS = 50;

interface Item {
  position: number;
  note: string;
  track: { id: string };
}

let server: TestServer;
let second: Service;
let callers: HttpCaller[];
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(60) });
  const { config, clock } = server;
  second = await startService({ config, clock, log: silentLog });
  callers = [server.http, new HttpCaller(second.address)];
  token = await (await server.createClient({ features: ['saved-searches'] })).token();
});
afterAll(async () => {
  callers?.[1]?.close();
  await second?.close();
  await server?.close();
});

const id = (number: number) => delivery(number).id;
const items = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ track: id(from + i), note: `note ${from + i}` }));

/** Sends a request to one of the nodes, by turns. */
async function send(n: number, method: string, path: string, body?: object, ifMatch?: string) {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
  };
  const response = await callers[n % 2]!.send(method, path, headers, body && JSON.stringify(body));
  const { data } = JSON.parse(response.body.toString());
  return { status: response.status, etag: String(response.headers.etag), data };
}

async function create(tracks: readonly string[]): Promise<string> {
  const { status, data } = await send(0, 'POST', '/v1/collections', { name: 'C', tracks });
  expect(status).toBe(201);
  return `/v1/collections/${data.id}`;
}

/** The list as both nodes show it. */
async function listOn(path: string): Promise<Item[]> {
  const read = async (n: number) =>
    (await send(n, 'GET', `${path}/tracks?pageSize=100`)).data.items as Item[];
  const shapes = (list: Item[]) => list.map(({ track, note }) => [track.id, note]);
  const [one, other] = await Promise.all([read(0), read(1)]);
  expect(shapes(other!)).toEqual(shapes(one!));
  expect(one!.map(({ position }) => position)).toEqual(one!.map((_, i) => i + 1));
  return one!;
}

const connections = <T>(task: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => task(n)));

describe('fifty connections on two nodes', () => {
  it('that add the same ten tracks add each once, with its note', async () => {
    const path = await create([]);
    const added = await connections((n) =>
      send(n, 'POST', `${path}/items`, { items: items(0, 10) }),
    );
    expect(added.map(({ status }) => status)).toEqual(Array(CONNECTIONS).fill(200));
    const first = added.filter(({ data }) => data.added.length > 0);
    expect(first).toHaveLength(1);
    for (const { data } of added) {
      expect([...data.added, ...data.alreadyPresent]).toEqual(items(0, 10).map((one) => one.track));
      expect(data.version).toBe(2);
    }
    const list = await listOn(path);
    expect(list.map(({ track, note }) => ({ track: track.id, note }))).toEqual(items(0, 10));
  });

  it('that add tracks while others reorder the list lose no track, no note and no order', async () => {
    const path = await create([id(50), id(51), id(52)]);
    const { etag } = await send(0, 'GET', path);
    const reversed = { items: [52, 51, 50].map((n) => ({ track: id(n) })) };
    const sent = await connections(async (n) => {
      const [added, replaced] = await Promise.all([
        send(n, 'POST', `${path}/items`, { items: items(n, n + 1) }),
        // All know the same version, so that one is accepted at most.
        n % 5 === 0 ? send(n + 1, 'PUT', `${path}/items`, reversed, etag) : undefined,
      ]);
      expect(added.data.added).toEqual([id(n)]);
      return { added, replaced };
    });
    const replaced = sent.flatMap((one) => one.replaced ?? []);
    const accepted = replaced.filter(({ status }) => status === 200);
    expect(accepted.length).toBeLessThan(2);
    expect(replaced.filter(({ status }) => status === 412)).toHaveLength(10 - accepted.length);
    const list = await listOn(path);
    const notes = new Map(list.map(({ track, note }) => [track.id, note]));
    for (const { track, note } of items(0, 50)) expect(notes.get(track)).toBe(note);
    expect(list).toHaveLength(53);

    // Each edit has a version of its own. The tracks are in the order of these.
    const versions = sent.map(({ added }) => added.data.version as number);
    const edits = [...versions, ...accepted.map(({ data }) => data.version as number)];
    expect(edits.sort((a, b) => a - b)).toEqual(edits.map((_, i) => i + 2));
    const inOrder = sent
      .map(({ added }) => ({ version: added.data.version, track: added.data.added[0] }))
      .sort((a, b) => a.version - b.version)
      .map(({ track }) => track);
    const begin = accepted.length === 0 ? [50, 51, 52] : [52, 51, 50];
    expect(list.map(({ track }) => track.id)).toEqual([...begin.map(id), ...inOrder]);

    const late = await send(1, 'PUT', `${path}/items`, reversed, etag);
    expect(late.status).toBe(412);
  });
});
