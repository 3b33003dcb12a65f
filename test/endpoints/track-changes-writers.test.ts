import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { type Event, type Reader, readerOf, START } from './changes-support.ts';

const WRITERS = 6;
const TRACKS_OF_WRITER = 5;
const ROUNDS = 15;

let server: TestServer;
let reader: Reader;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(3) });
  reader = await readerOf(server);
});
afterAll(() => server?.close());

/** Updates, takes down and restores the tracks of one writer. The tempo of a track counts its deliveries. */
async function write(writer: number): Promise<void> {
  const { catalog } = server.operator.store;
  const numbers = Array.from({ length: TRACKS_OF_WRITER }, (_, i) => 100 + writer * 10 + i);
  for (let round = 1; round <= ROUNDS; round++) {
    const session = await catalog.openDelivery('test:writer', newId());
    await session.deliver(numbers.map((number) => delivery(number, { bpm: String(round) })));
    await session.close();
    const { id } = delivery(numbers[round % TRACKS_OF_WRITER]!);
    await catalog.setState(id, 'taken_down', 'test:writer');
    await catalog.setState(id, 'live', 'test:writer');
  }
}

/** Collects events until all are seen, and returns them without repetition. */
async function collect(
  isDone: (seen: ReadonlyMap<number, Event>) => boolean,
  next: () => Promise<Event[]>,
): Promise<ReadonlyMap<number, Event>> {
  const seen = new Map<number, Event>();
  while (!isDone(seen)) {
    for (const event of await next()) seen.set(event.seq, event);
  }
  return seen;
}

/** Expects that no shown track is older than its event. */
function expectCurrent(seen: ReadonlyMap<number, Event>): void {
  const delivered = new Map<string, number>();
  for (const { seq } of [...seen.values()].sort((a, b) => a.seq - b.seq)) {
    const { trackId, type, track } = seen.get(seq)!;
    const isDelivery = type === 'track.created' || type === 'track.updated';
    const count = (delivered.get(trackId) ?? 0) + (isDelivery ? 1 : 0);
    delivered.set(trackId, count);
    if (track) expect(Number(track.bpm)).toBeGreaterThanOrEqual(count);
  }
}

it('gives every change to readers by cursor, by time and by waiting, beside writers', async () => {
  const from = await reader.end();
  let last = Number.POSITIVE_INFINITY;
  const isDone = (seen: ReadonlyMap<number, Event>) => seen.has(last);
  const byCursor = (query: string) => {
    let cursor = from;
    return collect(isDone, async () => {
      const { data } = await reader.call(`cursor=${cursor}&${query}`);
      cursor = data.nextCursor;
      return data.items;
    });
  };
  let since = START.since;
  const byTime = collect(isDone, async () => {
    const events: Event[] = [];
    let { data } = await reader.call({ since, limit: 50 });
    events.push(...data.items);
    while (data.hasMore) {
      ({ data } = await reader.call({ cursor: data.nextCursor, limit: 50 }));
      events.push(...data.items);
    }
    since = data.nextSince;
    return events;
  });
  const readers = [byCursor('limit=7'), byCursor('limit=500&wait=5'), byTime];
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  const { changes } = server.operator.store;
  // The readers end when they have seen this change.
  await server.operator.store.catalog.setState(delivery(1).id, 'taken_down', 'test:writer');
  last = (await changes.latest(1, { entity: 'track' }))[0]!.seq;
  const logged = (await changes.since(0, ['track'], 100_000)).map(({ seq }) => seq);
  for (const seen of await Promise.all(readers)) {
    const seqs = [...seen.keys()].sort((a, b) => a - b);
    expect(seqs).toEqual(logged.slice(-seqs.length));
    expect(seqs.length).toBeGreaterThan(WRITERS * ROUNDS * 3);
    expectCurrent(new Map([...seen].filter(([, { trackId }]) => trackId !== delivery(1).id)));
  }
}, 120_000);
