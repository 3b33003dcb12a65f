import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MODES, type Mode } from '../../src/common/caller.ts';
import { readCursor, renewLogEpoch } from '../../src/engines/change-log/positions.ts';
import { parseDocument } from '../../src/features/catalog/track-document.ts';
import { ChangeFeed } from '../../src/features/changes/feed.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';
import { START } from './changes-support.ts';

const BY = 'test:harness';
const TRACKS = 24;
/** A response is kept at the second equal request, so the third comes from the cache. */
const REPEATS = 3;

let server: TestServer;
let clients: TestClient[];
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(TRACKS) });
  const rights = { scopes: ['changes'], features: ['changes'] };
  clients = [await server.createClient(rights), await server.createClient(rights)];
});
afterAll(() => server?.close());

type Query = Record<string, string | number>;

async function call(query: Query, client = clients[0]!, mode: Mode = 'test') {
  return server.call('listTrackChanges', { token: await client.token({ mode }), query });
}

const seqOf = (cursor: string) => readCursor(cursor)!.seq;
const end = async () => (await call({ ...START, limit: 500, tracks: 'false' })).data.nextCursor;

describe('equal requests for changes', () => {
  it('share a page before the end of the log, with URLs for each client and mode', async () => {
    const read = vi.spyOn(ChangeFeed.prototype, 'page');
    const query = { ...START, limit: 7 };
    for (let i = 0; i < REPEATS; i++) {
      for (const client of clients) {
        for (const mode of MODES) {
          const { data, headers } = await call(query, client, mode);
          expect(headers.link).toContain(`cursor=${data.nextCursor}>; rel="next"`);
          expect(data.items).toHaveLength(7);
          for (const { trackId, track } of data.items) {
            const { pathname, searchParams, href } = new URL(track.streamUrl);
            expect(pathname).toBe(`/media/stream/${trackId}`);
            expect(searchParams.get('client')).toBe(client.clientId);
            expect(searchParams.get('mode')).toBe(mode);
            // These tracks have no audio: a valid URL gets 404, an invalid one 403.
            const { status } = await server.http.send('GET', href.slice(server.address.length));
            expect(status).toBe(404);
          }
        }
      }
    }
    expect(read).toHaveBeenCalledTimes(2 * MODES.length);
    read.mockRestore();
  });

  it('do not share the last page, whose position follows other objects', async () => {
    const cursor = await end();
    for (const tracks of ['true', 'false']) {
      for (let i = 0; i < REPEATS; i++) await call({ cursor, tracks });
      await server.createClient();
      const head = await server.operator.store.changes.head();
      const { data } = await call({ cursor, tracks });
      expect(seqOf(data.nextCursor)).toBe(head);
    }
  });

  it('show each change that another response has shown, beside any changes', async () => {
    const number = fc.nat({ max: TRACKS - 1 });
    const change = fc.oneof(
      fc.record({ number, bpm: fc.integer({ min: 60, max: 180 }) }),
      fc.record({ number, state: fc.constantFrom('taken_down' as const, 'live' as const) }),
    );
    const query = fc.record({
      limit: fc.integer({ min: 1, max: 12 }),
      tracks: fc.constantFrom('true', 'true', 'false'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.array(query, { minLength: 1, maxLength: 2 }),
        fc.nat(20),
        async (changes, queries, back) => {
          const { data } = await call({ ...START, limit: 1 + back });
          const asked = queries.flatMap((one) => [
            { ...START, ...one },
            { cursor: data.nextCursor, ...one },
          ]);
          for (const one of changes) {
            for (const each of asked) await expectCurrent(each);
            await make(one);
            await shown();
            for (const each of asked) await expectCurrent(each);
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  it('are refused once their position is lost', async () => {
    const first = await call({ ...START, limit: 2 });
    const query = { cursor: first.data.nextCursor, limit: 2 };
    const keep = async (one: Query) => {
      for (let i = 0; i < REPEATS; i++) expect((await call(one)).status).toBe(200);
    };
    const expectGone = (one: Query) => server.until(async () => (await call(one)).status === 410);
    await keep(query);
    await renewLogEpoch(server.operator.store.settings);
    await expectGone(query);
    server.clock.advance(60);
    await server.deliver(deliveries(TRACKS).map((track) => ({ ...track, bpm: '59' })));
    const later = { ...START, limit: 2 };
    await keep(later);
    await server.operator.store.changes.expire(server.clock.now() - 30_000);
    await expectGone(later);
  });
});

/** Makes one change through the store, as another process does. */
async function make(
  change: { number: number } & ({ bpm: number } | { state: 'taken_down' | 'live' }),
) {
  const { id } = delivery(change.number);
  if ('bpm' in change) await server.deliver([delivery(change.number, { bpm: String(change.bpm) })]);
  else await setTrackState(server.operator.store, id, change.state, BY);
}

/** Waits until a response shows the end of the log. */
async function shown(): Promise<void> {
  const head = await server.operator.store.changes.head();
  await server.until(async () => seqOf(await end()) >= head);
}

/** Expects the rows of the log, with the tracks as the store has them, from the handler and from the cache. */
async function expectCurrent(query: Query): Promise<void> {
  const { changes, catalog } = server.operator.store;
  const after = query.cursor === undefined ? 0 : seqOf(String(query.cursor));
  const rows = await changes.since(after, ['track'], Number(query.limit) + 1);
  const expected = rows.slice(0, Number(query.limit));
  for (let i = 0; i < REPEATS; i++) {
    const { data } = await call(query, clients[i % clients.length]!);
    expect(data.hasMore).toBe(rows.length > expected.length);
    expect(data.items.map(({ seq }: { seq: number }) => seq)).toEqual(
      expected.map(({ seq }) => seq),
    );
    if (query.tracks === 'false') continue;
    for (const { trackId, track } of data.items) {
      const document = await catalog.document(trackId);
      if (document === undefined) expect(track).toBeNull();
      else expect(track).toMatchObject(parseDocument(document));
    }
  }
}
