import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Provenance } from '../../src/features/catalog/provenance.ts';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const SHARES = ['none', 'assisted', 'generated', 'unknown'] as const;
const TRAINING = [true, false, null];
const UNKNOWN: Provenance = { ai: 'unknown', aiParts: [], trainingAllowed: null, statement: null };
const TRACKS = Array.from({ length: 25 }, (_, i) => {
  const provenance = { ai: SHARES[i % 4]!, trainingAllowed: TRAINING[i % 3]! };
  return delivery(i, i === 24 ? {} : { provenance: { ...UNKNOWN, ...provenance } });
});

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  token = await (await server.createClient({ features: ['saved-searches'] })).token();
});
afterAll(() => server?.close());

/** Returns the data of both endpoints, which must be equal. */
async function found(query: Record<string, unknown>) {
  const all = { pageSize: 100, facets: true };
  const listed = await server.call('listTracks', { token, query: { ...query, ...all } });
  const searched = await server.call('searchTracks', { token, body: { ...query, ...all } });
  const shared = ({ items, ...data }: { items: { id: string }[] }) => [
    items.map(({ id }) => id),
    data,
  ];
  expect(shared(listed.data)).toEqual(shared(searched.data));
  return searched.data;
}

type Holds = (provenance: Provenance) => boolean;
const passing = (holds: Holds) =>
  TRACKS.filter(({ provenance }) => holds(provenance ?? UNKNOWN)).map(({ id }) => id);

async function expectFound(query: Record<string, unknown>, holds: Holds) {
  const { items } = await found(query);
  expect(items.map(({ id }: { id: string }) => id).sort()).toEqual(passing(holds).sort());
}

const byCount = (one: { trackCount: number }, other: { trackCount: number }) =>
  other.trackCount - one.trackCount;

describe('ai', () => {
  it.each([
    [['none']],
    [['unknown']],
    [['none', 'assisted']],
    [['generated', 'unknown']],
    [['none', 'assisted', 'generated', 'unknown']],
  ])('restricts to any of %j', async (ai) => {
    await expectFound({ ai }, (one) => ai.includes(one.ai));
  });

  it('is counted in facets, each value as if it were the only choice', async () => {
    const counts = SHARES.map((ai) => ({ ai, trackCount: passing((one) => one.ai === ai).length }));
    const byValue = (one: { ai: string }, other: { ai: string }) => (one.ai < other.ai ? -1 : 1);
    const expected = counts.toSorted(byValue).sort(byCount);
    expect((await found({})).facets.ai).toEqual(expected);
    expect((await found({ ai: ['none'] })).facets.ai).toEqual(expected);
  });
});

describe('trainingAllowed', () => {
  it.each([
    ['true', true],
    ['false', false],
    ['unknown', null],
  ])('%s restricts to tracks with this value', async (trainingAllowed, value) => {
    await expectFound({ trainingAllowed }, (one) => one.trainingAllowed === value);
    await expectFound({ trainingAllowed, ai: ['none', 'unknown'] }, (one) => {
      return one.trainingAllowed === value && ['none', 'unknown'].includes(one.ai);
    });
  });

  it.each([true, false])('may be a boolean in a body: %s', async (trainingAllowed) => {
    const { data } = await server.call('searchTracks', { token, body: { trainingAllowed } });
    expect(data.totalRecords).toBe(
      passing((one) => one.trainingAllowed === trainingAllowed).length,
    );
  });

  it('is counted in facets of the result', async () => {
    const { facets } = await found({ ai: ['unknown'] });
    const counted = Object.fromEntries(
      facets.trainingAllowed.map(
        (one: { trainingAllowed: string; trackCount: number }) =>
          [one.trainingAllowed, one.trackCount] as const,
      ),
    );
    const count = (value: boolean | null) =>
      passing((one) => one.ai === 'unknown' && one.trainingAllowed === value).length;
    expect(counted).toEqual({ true: count(true), false: count(false), unknown: count(null) });
  });
});

describe('both', () => {
  it.each([
    [{ ai: ['some'] }, 'ai[0]', 'none, assisted, generated or unknown'],
    [{ ai: 'none' }, 'ai', ''],
    [{ ai: ['none', 'none'] }, 'ai', ''],
    [{ trainingAllowed: null }, 'trainingAllowed', 'true, false or unknown'],
    [{ trainingAllowed: 'no' }, 'trainingAllowed', 'true, false or unknown'],
  ])('are refused unless they are known words: %j', async (body, field, message) => {
    const { status, error } = await server.call('searchTracks', { token, body });
    expect(status).toBe(400);
    expect(error.details).toEqual([{ field, message: expect.stringContaining(message) }]);
  });

  it('are part of saved searches', async () => {
    const search = { ai: ['none', 'assisted'], trainingAllowed: 'true' };
    const { data } = await server.call('createSavedSearch', { token, body: { name: 'a', search } });
    expect(data.search).toEqual(search);
    expect(data.totalRecords).toBe((await found(search)).totalRecords);
  });
});
