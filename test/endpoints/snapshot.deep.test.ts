import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCursor, renewLogEpoch, writeCursor } from '../../src/engines/change-log/positions.ts';
import { allOf } from '../harness/all-of.ts';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';

const BY = 'test:harness';
/** Some more than the tracks before the first mark. */
const SIZE = 10_020;
/** So long that the whole snapshot does not fit into the buffers of two sockets. */
const TAGS = ['a'.repeat(2_000)];

const track = (number: number, name?: string) =>
  delivery(number, { tags: TAGS, ...(name !== undefined && { name }) });
const IDS = Array.from({ length: SIZE }, (_, number) => delivery(number).id);

let server: TestServer;
let client: TestClient;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: IDS.map((_, number) => track(number)) });
  client = await server.createClient({ scopes: ['tracks', 'changes'], features: ['changes'] });
  token = await client.token();
});
afterAll(() => server?.close());

// biome-ignore lint/suspicious/noExplicitAny: lines of JSON, of which the tests read any member
type Line = any;

const linesOf = (body: Buffer): Line[] =>
  body
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const snapshot = (options: object = {}) => server.call('readTrackSnapshot', { token, ...options });
const lines = async (query?: Record<string, string>) =>
  linesOf((await snapshot(query && { query })).body);

/** A track as a snapshot has it, from any other response. */
const unsigned = ({ streamUrl, streamUrlExpiresAt, ...track }: Line): Line => track;

/** Begins a snapshot, of which nothing is read yet. */
function begin(): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` };
    request(`${server.address}/v1/tracks/snapshot`, { headers, agent: false }, resolve)
      .on('error', reject)
      .end();
  });
}

async function rest(response: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await allOf<Buffer>(response));
}

/** All live tracks as the list shows them, by id. */
async function listed(): Promise<Map<string, Line>> {
  const all = new Map<string, Line>();
  for (let page = 1; ; page++) {
    const { data } = await server.call('listTracks', { token, query: { page, pageSize: 100 } });
    for (const track of data.items) all.set(track.id, unsigned(track));
    if (page >= data.totalPages) return all;
  }
}

describe('GET /v1/tracks/snapshot', () => {
  it('has every live track as the list shows it, without its signed URL', async () => {
    const [head, ...others] = await lines();
    const seq = await server.operator.store.changes.head();
    expect(head).toMatchObject({ type: 'snapshot', seq, tracks: SIZE });
    expect(Date.parse(head.takenAt)).toBeLessThanOrEqual(server.clock.now());
    const tracks = others.filter(({ type }) => type === 'track').map(({ track }) => track);
    expect(new Map(tracks.map((track) => [track.id, track]))).toEqual(await listed());
    expect(tracks).toHaveLength(SIZE);
    expect(others.map(({ type }, i) => [type, i]).filter(([type]) => type !== 'track')).toEqual([
      ['mark', 10_000],
      ['end', SIZE + 1],
    ]);
  });

  it('proves that it is complete', async () => {
    const { body } = await snapshot();
    const tracks = body.toString().match(/^\{"type":"track",.*\n/gm)!;
    const sha256 = createHash('sha256').update(tracks.join('')).digest('hex');
    expect(linesOf(body).at(-1)).toEqual({ type: 'end', tracks: SIZE, sha256 });
  });

  it('is compressed where that is accepted', async () => {
    const zipped = await snapshot({ headers: { 'Accept-Encoding': 'gzip' } });
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    const plain = await snapshot();
    expect(plain.headers['content-encoding']).toBeUndefined();
    const tracksOf = (body: Buffer) => linesOf(body).slice(1);
    expect(tracksOf(gunzipSync(zipped.body))).toEqual(tracksOf(plain.body));
  });

  it('is the same in both modes and for other clients', async () => {
    const other = await server.createClient({ scopes: ['changes'], features: ['changes'] });
    const [one, two] = await Promise.all([
      snapshot({ token: await client.token({ mode: 'live' }) }),
      snapshot({ token: await other.token() }),
    ]);
    expect(linesOf(one.body).slice(1)).toEqual(linesOf(two.body).slice(1));
  });

  it('counts as one request', async () => {
    const limited = await server.createClient({
      scopes: ['changes'],
      features: ['changes'],
      rateLimit: 5,
    });
    const { headers } = await snapshot({ token: await limited.token() });
    expect(headers['ratelimit-remaining']).toBe('4');
  });

  it('is sent to a client twice at a time', async () => {
    const [first, second] = [await begin(), await begin()];
    const third = await snapshot();
    expect({ status: third.status, type: third.error.type }).toEqual({
      status: 429,
      type: 'rate_limited',
    });
    expect(third.headers['retry-after']).toBe('60');
    await Promise.all([rest(first), rest(second)]);
    await server.until(async () => (await snapshot()).status === 200);
  });
});

describe('a snapshot beside writes', () => {
  it('and the log after its cursor make the catalog', async () => {
    const response = await begin();
    const { store } = server.operator;
    await server.deliver([
      track(3, 'Renamed Before'),
      track(SIZE - 3, 'Renamed After'),
      track(SIZE + 1),
    ]);
    for (const number of [5, 6, SIZE - 5]) {
      await setTrackState(store, IDS[number]!, 'taken_down', BY);
    }
    await setTrackState(store, IDS[6]!, 'live', BY);
    await server.until(async () => {
      const { data } = await server.call('listTracks', { token });
      return data.totalRecords === SIZE - 1;
    });

    const [head, ...others] = linesOf(await rest(response));
    expect(others.at(-1).type).toBe('end');
    const mirror = new Map<string, Line>();
    for (const { type, track } of others) {
      if (type === 'track') mirror.set(track.id, track);
    }
    const changes = await store.changes.since(head.seq, ['track'], 1_000);
    expect(changes.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['updated', 'created', 'taken_down', 'restored']),
    );
    for (const { entityId } of changes) {
      const { status, data } = await server.call('showTrack', {
        token,
        params: { slug: entityId },
      });
      if (status === 200) mirror.set(entityId, unsigned(data));
      else mirror.delete(entityId);
    }
    expect(mirror).toEqual(await listed());
  });
});

describe('a resumed snapshot', () => {
  const resumeOf = (all: Line[]): string => all.find(({ type }) => type === 'mark').resume;

  it('has the tracks after the mark, and the position of the first response', async () => {
    const whole = await lines();
    const resume = resumeOf(whole);
    await server.deliver([track(SIZE + 2)]);
    const [head, ...others] = await lines({ resume });
    expect(head).toMatchObject({ cursor: whole[0].cursor, seq: whole[0].seq });
    const after = whole.slice(whole.findIndex(({ type }) => type === 'mark') + 1, -1);
    expect(others.slice(0, after.length)).toEqual(after);
    // The track that came meanwhile is after the others, and is in the log as well.
    expect(others.at(-2).track.id).toBe(track(SIZE + 2).id);
    expect(others.at(-1)).toMatchObject({ type: 'end', tracks: after.length + 1 });
  });

  it('is gone if its position is not in the log any more', async () => {
    const { store } = server.operator;
    const resume = resumeOf(await lines());
    const statusOf = async (token: string) => {
      const { status, error } = await snapshot({ query: { resume: token } });
      if (status !== 200) expect(error.message).toContain('GET /v1/tracks/snapshot');
      return status;
    };
    const [mark, cursor] = resume.split(/(?=c1\.)/) as [string, string];
    const { epoch, seq } = readCursor(cursor)!;
    expect(await statusOf(mark + writeCursor({ epoch, seq: seq + 1_000 }))).toBe(410);

    await server.deliver([track(1, 'Once More')]);
    expect(await statusOf(resume)).toBe(200);
    server.clock.advance(1);
    await store.changes.expire(server.clock.now());
    expect(await statusOf(resume)).toBe(410);

    const later = resumeOf(await lines());
    expect(await statusOf(later)).toBe(200);
    await renewLogEpoch(store.settings);
    expect(await statusOf(later)).toBe(410);
  });

  it('is needed if the node drains, which ends the response without its last line', async () => {
    const response = await begin();
    const closed = server.service.close();
    await server.until(async () => !(await accepts()));
    const begun = linesOf(await rest(response));
    await closed;
    expect(begun[0].type).toBe('snapshot');
    expect(begun.at(-1).type).not.toBe('end');
  });
});

/** Whether the node accepts connections. */
async function accepts(): Promise<boolean> {
  return fetch(server.address).then(
    () => true,
    () => false,
  );
}
