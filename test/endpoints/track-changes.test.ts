import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renewLogEpoch } from '../../src/engines/change-log/positions.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';
import { type Event, type Reader, readerOf, START } from './changes-support.ts';

const BY = 'test:harness';
const TRACKS = 2_000;

let server: TestServer;
let reader: Reader;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(TRACKS) });
  reader = await readerOf(server);
});
afterAll(() => server?.close());

const seqs = (events: readonly Event[]) => events.map(({ seq }) => seq);

/** The numbers of all changes of tracks in the log, in order. */
async function logged(after = 0): Promise<number[]> {
  const changes = await server.operator.store.changes.since(after, ['track'], 100_000);
  return changes.map(({ seq }) => seq);
}

/** Reads all events after a cursor, once the node shows these many. */
async function eventsAfter(cursor: string, count: number): Promise<Event[]> {
  let events: Event[] = [];
  await server.until(async () => {
    ({ events } = await reader.walk({ cursor }));
    return events.length >= count;
  });
  return events;
}

describe('GET /v1/tracks/changes', () => {
  it.each([1, 500, 499])('returns all of many changes of one millisecond by %i', async (limit) => {
    const from = limit === 1 ? { cursor: await cursorBefore(60) } : START;
    const { events } = await reader.walk({ ...from, limit, tracks: 'false' });
    expect(seqs(events)).toEqual((await logged()).slice(-events.length));
    expect(events).toHaveLength(limit === 1 ? 60 : TRACKS);
    expect(events[0]).not.toHaveProperty('track');
  });

  /** Returns a cursor before the last changes. */
  async function cursorBefore(count: number): Promise<string> {
    const { data } = await reader.call({ ...START, limit: 500, tracks: false });
    let page = data;
    for (let left = TRACKS - 500 - count; left > 0; left -= 500) {
      const limit = Math.min(500, left);
      ({ data: page } = await reader.call({ cursor: page.nextCursor, limit, tracks: false }));
    }
    return page.nextCursor;
  }

  it('links to the next page, and gives no time for one within the same millisecond', async () => {
    const { data, headers } = await reader.call({ ...START, limit: 3, tracks: false });
    expect(data.items).toHaveLength(3);
    expect(data).toMatchObject({ hasMore: true, nextSince: null });
    expect(headers.link).toBe(
      `<${server.address}/v1/tracks/changes?limit=3&tracks=false&cursor=${data.nextCursor}>; rel="next"`,
    );
    const last = await reader.call({ cursor: await reader.end() });
    expect(last.headers.link).toBeUndefined();
    expect(last.data).toMatchObject({ items: [], hasMore: false });
  });

  it('returns the creation and the takedown of a track that is gone', async () => {
    const cursor = await reader.end();
    const track = delivery(TRACKS);
    await server.deliver([track]);
    await setTrackState(server.operator.store, track.id, 'taken_down', BY);
    const [created, takenDown] = await eventsAfter(cursor, 2);
    expect([created!.type, takenDown!.type]).toEqual(['track.created', 'track.taken_down']);
    await setTrackState(server.operator.store, track.id, 'live', BY);
    const events = await eventsAfter(cursor, 3);
    expect(events.map(({ type }) => type).at(-1)).toBe('track.restored');
    // All show the track as it is now.
    expect(events.map(({ track: shown }) => shown?.name)).toEqual(Array(3).fill(track.name));
    await setTrackState(server.operator.store, track.id, 'taken_down', BY);
    const all = await eventsAfter(cursor, 4);
    expect(all.map(({ track: shown }) => shown)).toEqual(Array(4).fill(null));
    expect(all.map(({ version, seq }) => version - seq)).toEqual(Array(4).fill(0));
  });

  it('returns only the requested types, and passes the others by', async () => {
    const query = { ...START, types: 'track.taken_down', tracks: 'false' };
    const { events, cursor } = await reader.walk(query);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['track.taken_down']));
    expect(cursor).toBe(await reader.end());
  });

  it('moves the cursor on while only other objects change', async () => {
    const cursor = await reader.end();
    await server.createClient();
    const { data } = await reader.call({ cursor });
    expect(data).toMatchObject({ items: [], hasMore: false });
    expect(data.nextCursor > cursor).toBe(true);
    const { headAt } = await server.operator.store.changes.bounds();
    expect(data.nextSince).toBe(new Date(headAt).toISOString());
  });

  it('begins at a time, with ten seconds before it', async () => {
    server.clock.advance(60);
    const cursor = await reader.end();
    await server.deliver([delivery(1, { bpm: '61' })]);
    const [event] = await eventsAfter(cursor, 1);
    expect(event).toMatchObject({ type: 'track.updated', changedFields: ['bpm'] });
    const at = Date.parse(event!.occurredAt);
    const first = async (time: number) =>
      (await reader.call({ since: new Date(time).toISOString() })).data.items[0]?.seq;
    expect(await first(at)).toBe(event!.seq);
    expect(await first(at + 10_000)).toBe(event!.seq);
    const { status, error } = await reader.call({ since: new Date(at + 86_400_000).toISOString() });
    expect(status).toBe(400);
    expect(error.details).toEqual([
      { field: 'since', message: expect.stringContaining('lies in the future; use nextSince') },
    ]);
  });

  it('supports HEAD, which does not wait', async () => {
    const cursor = await reader.end();
    const client = await server.createClient({ scopes: ['changes'], features: ['changes'] });
    const path = `/v1/tracks/changes?cursor=${cursor}&wait=30`;
    const headers = { Authorization: `Bearer ${await client.token()}` };
    const { status, body } = await server.http.send('HEAD', path, headers);
    expect({ status, length: body.length }).toEqual({ status: 200, length: 0 });
  });

  it.each([
    ['', 'since'],
    ['since=2026-11-21', 'since'],
    ['since=yesterday', 'since'],
    ['since=2026-11-21T10:00:60Z', 'since'],
    ['since=2026-02-30T10:00:00Z', 'since'],
    ['since=2026-11-21T10:00:00+01:00', 'since'],
    ['since=2026-01-01T00:00:00Z&since=2026-01-01T00:00:00Z', 'since'],
    ['since=2026-01-01T00:00:00Z&wait=5', 'wait'],
    ['cursor=c1.AAAB', 'cursor'],
    ['cursor=', 'cursor'],
    [`cursor=c1.${'A'.repeat(22)}&since=2026-01-01T00:00:00Z`, 'cursor'],
    ['since=2026-01-01T00:00:00Z&limit=0', 'limit'],
    ['since=2026-01-01T00:00:00Z&limit=501', 'limit'],
    ['since=2026-01-01T00:00:00Z&types=track.deleted', 'types[0]'],
    ['since=2026-01-01T00:00:00Z&tracks=1', 'tracks'],
    [`cursor=c1.${'A'.repeat(22)}&wait=31`, 'wait'],
  ])('refuses %s', async (query, field) => {
    const { status, error } = await reader.call(query);
    expect(status).toBe(400);
    expect(error.details!.map((detail) => detail.field)).toEqual([field]);
    if (query.includes('+')) expect(error.message).toContain('%2B');
  });

  it('accepts any offset of a time', async () => {
    const { status } = await reader.call('since=1971-01-01t00:00:00.5%2B01:00&limit=1');
    expect(status).toBe(200);
  });
});

describe('a position that is lost', () => {
  const expectGone = async (query: string) => {
    const { status, error } = await reader.call(query);
    expect({ status, type: error.type }).toEqual({ status: 410, type: 'gone' });
    expect(error.message).toContain('GET /v1/tracks/snapshot');
  };

  it('is gone: changes after it have expired, or the log has another history', async () => {
    const { data: early } = await reader.call({ ...START, limit: 1 });
    const end = await reader.end();
    const { changes, settings } = server.operator.store;
    const rows = (await changes.latest(100_000)).length;
    await changes.raiseFloor(server.clock.now() - 5_000);
    expect(await changes.latest(100_000)).toHaveLength(rows);
    const { floor, floorAt } = await changes.bounds();
    expect(floor).toBeGreaterThan(TRACKS);
    await expectGone(`cursor=${early.nextCursor}`);
    await expectGone(`since=${START.since}`);
    const earliest = floorAt + 10_000;
    await expectGone(`since=${new Date(earliest - 1).toISOString()}`);
    const { status, data } = await reader.call({ since: new Date(earliest).toISOString() });
    expect(status).toBe(200);
    expect(Date.parse(data.nextSince)).toBeGreaterThanOrEqual(earliest);
    expect((await reader.call({ cursor: end })).status).toBe(200);

    await renewLogEpoch(settings);
    await expectGone(`cursor=${end}`);
    const { cursor } = await reader.walk({ since: data.nextSince });
    const beyond = Buffer.from(cursor.slice(3), 'base64url');
    beyond.writeBigUInt64BE(beyond.readBigUInt64BE(8) + 1_000n, 8);
    await expectGone(`cursor=c1.${beyond.toString('base64url')}`);
  });
});
