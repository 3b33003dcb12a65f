import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mode } from '../../src/common/caller.ts';
import type { License } from '../../src/features/licensing/license.ts';
import { deliveries } from '../harness/catalog.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';

const TRACKS = deliveries(24);
const DAY_MS = 86_400_000;
const BY = 'test:harness';

let server: TestServer;
let client: TestClient;
let next = 0;

/** Sells a number of licenses of a track at a time in the past. */
async function sell(number: number, count: number, daysAgo: number, mode: Mode = 'live') {
  const licenses: License[] = Array.from({ length: count }, () => ({
    externalId: `l-${next++}`,
    trackId: TRACKS[number]!.id,
    mode,
    licensedAt: server.clock.now() - daysAgo * DAY_MS,
    clientId: null,
  }));
  await server.operator.store.licenses.put(licenses, BY, 'batch');
}

type Item = { rank: number; licenseCount: number; track: { id: string; type: string } };

async function ranking(
  query: Record<string, string | number | string[]> = {},
  mode: Mode = 'live',
) {
  const token = await client.token({ mode });
  const { data } = await server.call('listMostLicensed', { token, query });
  return data as { totalRecords: number; totalPages: number; items: Item[] };
}
const short = (items: Item[]) =>
  items.map(({ rank, licenseCount, track }) => [
    rank,
    licenseCount,
    TRACKS.findIndex((one) => one.id === track.id),
  ]);
/** Returns the ids of tracks with equal counts, in the order of their ids. */
const byId = (...numbers: number[]) =>
  numbers.sort((a, b) => (TRACKS[a]!.id < TRACKS[b]!.id ? -1 : 1));

beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  client = await server.createClient();
  await sell(2, 9, 400);
  await sell(4, 5, 3);
  await sell(6, 5, 20);
  await sell(7, 5, 60);
  await sell(9, 1, 200);
  await sell(1, 3, 1, 'test');
});
afterAll(() => server?.close());

describe('GET /v1/analytics/most-licensed', () => {
  it('ranks tracks with at least one license, ties by id', async () => {
    const [a, b, c] = byId(4, 6, 7);
    const page = await ranking();
    expect(page.totalRecords).toBe(5);
    expect(short(page.items)).toEqual([
      [1, 9, 2],
      [2, 5, a],
      [3, 5, b],
      [4, 5, c],
      [5, 1, 9],
    ]);
  });

  it.each([
    ['7d', [4]],
    ['30d', [4, 6]],
    ['90d', [4, 6, 7]],
    ['365d', [4, 6, 7, 9]],
    ['all', [2, 4, 6, 7, 9]],
  ])('counts the licenses of %s', async (period, numbers) => {
    const { items } = await ranking({ period });
    expect(
      short(items)
        .map(([, , number]) => number)
        .sort(),
    ).toEqual(numbers);
  });

  it('separates test and live mode', async () => {
    expect(short((await ranking({}, 'test')).items)).toEqual([[1, 3, 1]]);
  });

  it('continues the ranks over the pages', async () => {
    const whole = short((await ranking()).items);
    const walked: number[][] = [];
    for (let page = 1; page <= 3; page++) {
      const { items, totalPages } = await ranking({ page, pageSize: 2 });
      expect(totalPages).toBe(3);
      walked.push(...short(items));
    }
    expect(walked).toEqual(whole);
    expect((await ranking({ page: 4, pageSize: 2 })).items).toEqual([]);
  });

  it('ranks the tracks that type and filters select', async () => {
    const effects = await ranking({ type: 'sfx' });
    expect(effects.items.every(({ track }) => track.type === 'sfx')).toBe(true);
    expect(short(effects.items)).toEqual([
      [1, 5, 4],
      [2, 1, 9],
    ]);
    const calm = await ranking({ filterSlugs: ['calm', 'calm'] });
    expect(short(calm.items)).toEqual([
      [1, 5, 6],
      [2, 1, 9],
    ]);
    expect((await ranking({ filterSlugs: ['no-such-filter'] })).totalRecords).toBe(0);
  });

  it('shows new licenses, takedowns and restores within a second', async () => {
    await sell(9, 20, 0);
    await server.until(async () => short((await ranking()).items)[0]![2] === 9);
    await setTrackState(server.operator.store, TRACKS[9]!.id, 'taken_down', BY);
    await server.until(async () => (await ranking()).totalRecords === 4);
    expect(short((await ranking()).items)[0]).toEqual([1, 9, 2]);
    await setTrackState(server.operator.store, TRACKS[9]!.id, 'live', BY);
    await server.until(async () => (await ranking()).totalRecords === 5);
    expect(short((await ranking()).items)[0]![2]).toBe(9);
  });

  it.each(['live', 'test'] as const)('does not count reported use in %s mode', async (mode) => {
    const reporter = await server.createClient({ scopes: ['usage'], features: ['usage'] });
    const token = await reporter.token({ mode });
    const occurredAt = new Date(server.clock.now()).toISOString();
    const used = { type: 'download', trackId: TRACKS[11]!.id, occurredAt };
    const events = Array.from({ length: 30 }, (_, n) => ({ ...used, eventId: `e-${n}` }));
    const { data } = await server.call('reportUsage', { token, body: { events } });
    expect(data.accepted).toBe(30);
    await sell(12, 30, 0, mode);
    await server.until(async () => short((await ranking({}, mode)).items)[0]![2] === 12);
    expect(short((await ranking({}, mode)).items).some(([, , number]) => number === 11)).toBe(
      false,
    );
  });
});
