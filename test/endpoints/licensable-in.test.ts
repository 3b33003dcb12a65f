import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES } from '../../src/common/caller.ts';
import { coversTerritory } from '../../src/common/codes.ts';
import { delivery } from '../harness/catalog.ts';
import { publishCard } from '../harness/licensing.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const REGIONS = ['WORLD', 'DE', 'AT', 'DACH', 'EU-WEST', 'US'];
const TRACKS = Array.from({ length: 40 }, (_, i) =>
  delivery(i, { region: REGIONS[i % 7] ?? 'WORLD' }),
);

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  token = await (await server.createClient({ features: ['licensing', 'saved-searches'] })).token();
});
afterAll(() => server?.close());

const pageSize = 100;
const idsOf = (data: { items: { id: string }[] }) => data.items.map(({ id }) => id);

/** The tracks that a search without the member finds, and whose region covers all territories. */
async function naively(territories: readonly string[], query: object): Promise<string[]> {
  const { data } = await server.call('searchTracks', { token, body: { ...query, pageSize } });
  return data.items
    .filter(({ region }: { region: string }) =>
      territories.every((territory) => coversTerritory(region, territory, [])),
    )
    .map(({ id }: { id: string }) => id);
}

describe('licensableIn', () => {
  it('finds the tracks whose region covers each country, in list, search and saved search', async () => {
    const territories = fc.oneof(
      fc.constant(['WORLD']),
      fc.uniqueArray(fc.constantFrom('DE', 'AT', 'CH', 'US', 'FR'), {
        minLength: 1,
        maxLength: 3,
      }),
    );
    const query = fc.record(
      {
        query: fc.constantFrom('ocean', 'night', 'n', 'the'),
        type: fc.constantFrom('music', 'sfx'),
        filterSlugs: fc.constantFrom(['calm'], ['rock']),
        sort: fc.constantFrom('name', 'oldest'),
      },
      { requiredKeys: [] },
    );
    let saved = 0;
    await fc.assert(
      fc.asyncProperty(territories, query, async (licensableIn, given) => {
        const expected = await naively(licensableIn, given);
        const search = { ...given, licensableIn };
        const { data: searched } = await server.call('searchTracks', {
          token,
          body: { ...search, pageSize },
        });
        expect(idsOf(searched)).toEqual(expected);
        expect(searched.totalRecords).toBe(expected.length);
        const { query: text, ...rest } = given as { query?: string };
        const listed = await server.call('listTracks', {
          token,
          query: { ...rest, ...(text && { search: text }), licensableIn, pageSize },
        });
        expect(idsOf(listed.data)).toEqual(expected);
        const body = { name: `Search ${saved++}`, search };
        const { data: created } = await server.call('createSavedSearch', { token, body });
        expect(created).toMatchObject({ search, totalRecords: expected.length });
        const params = { id: created.id };
        const tracks = await server.call('listSavedSearchTracks', {
          token,
          params,
          query: { pageSize },
        });
        expect(idsOf(tracks.data)).toEqual(expected);
        await server.call('deleteSavedSearch', { token, params, headers: { 'If-Match': '*' } });
      }),
      { numRuns: 40 },
    );
  });

  it('is refused without the feature or the scope, also if another client has the response', async () => {
    const query = { licensableIn: ['DE', 'AT'] };
    for (let i = 0; i < 3; i++) {
      expect((await server.call('listTracks', { token, query })).status).toBe(200);
    }
    const without = await (await server.createClient({ scopes: ALL_SCOPES })).token();
    const whole = await server.createClient({ scopes: ALL_SCOPES, features: ['licensing'] });
    const narrow = await whole.token({ scope: 'tracks search' });
    const calls = [
      ['listTracks', { query }],
      ['searchTracks', { body: query }],
    ] as const;
    const malformed = [
      ['listTracks', { query: { licensableIn: 'DE,xx' } }],
      ['listTracks', { query: { ...query, unknown: '1' } }],
      ['searchTracks', { body: { licensableIn: 'DE' } }],
      ['searchTracks', { body: { licensableIn: ['WORLD', 'DE'], unknown: 1 } }],
    ] as const;
    for (const [operation, request] of malformed) {
      expect((await server.call(operation, { token, ...request })).status).toBe(400);
    }
    for (const [operation, request] of [...calls, ...malformed]) {
      const first = await server.call(operation, { token: without, ...request });
      expect(first).toMatchObject({ status: 403, error: { type: 'feature_not_enabled' } });
      const second = await server.call(operation, { token: narrow, ...request });
      expect(second).toMatchObject({ status: 403, error: { type: 'insufficient_scope' } });
    }
    const saving = await server.createClient({ scopes: ALL_SCOPES, features: ['saved-searches'] });
    const body = { name: 'a', search: { licensableIn: ['xx'] } };
    const saved = await server.call('createSavedSearch', { token: await saving.token(), body });
    expect(saved).toMatchObject({ status: 403, error: { type: 'feature_not_enabled' } });
    const unknown = [
      ['markSavedSearchSeen', { params: { id: 'a' }, body: { search: body.search } }],
      ['searchTracks', { query: { licensableIn: 'DE' }, body: {} }],
    ] as const;
    for (const [operation, request] of unknown) {
      const token = await saving.token();
      expect((await server.call(operation, { token, ...request })).status).toBe(400);
    }
    const empty = await server.call('searchTracks', {
      token: without,
      body: { licensableIn: [] },
    });
    expect(empty.data.totalRecords).toBe(TRACKS.length);
  });

  it('counts the groups of the rate card of the caller, from a second after it is published', async () => {
    const { store } = server.operator;
    const idsIn = async (caller: string, licensableIn: readonly string[]) => {
      const query = { licensableIn, pageSize };
      return idsOf((await server.call('listTracks', { token: caller, query })).data).sort();
    };
    const inRegions = (...regions: string[]) =>
      TRACKS.filter(({ region }) => regions.includes(region))
        .map(({ id }) => id)
        .sort();
    const other = await server.createClient({ features: ['licensing'] });
    await store.clients.update(other.clientId, { rateCard: 'games' }, 'test:harness');
    const games = await other.token();
    expect(await idsIn(token, ['AT'])).toEqual(inRegions('WORLD', 'AT'));
    await publishCard(store);
    await publishCard(store, {
      name: 'games',
      territories: [{ code: 'EU-WEST', factor: '1' }],
    });
    const expectSoon = async (caller: string, asked: string[], expected: string[]) => {
      await server.until(async () => isDeepStrictEqual(await idsIn(caller, asked), expected));
    };
    // The response for one client is not that for the other one, however often it is requested.
    for (let i = 0; i < 3; i++) {
      await expectSoon(token, ['AT'], inRegions('WORLD', 'AT', 'DACH'));
      await expectSoon(games, ['AT'], inRegions('WORLD', 'AT', 'EU-WEST'));
    }
    await expectSoon(token, ['DE', 'AT'], inRegions('WORLD', 'DACH'));
    await expectSoon(games, ['WORLD'], inRegions('WORLD', 'EU-WEST'));
    await store.clients.update(other.clientId, { rateCard: null }, 'test:harness');
    await expectSoon(games, ['AT'], inRegions('WORLD', 'AT', 'DACH'));
    await store.rateCards.withdraw('standard', 1, 'test:harness');
    await expectSoon(games, ['AT'], inRegions('WORLD', 'AT'));
  });

  it('leaves a saved search without tracks while its client lacks the feature', async () => {
    const client = await server.createClient({ features: ['licensing', 'saved-searches'] });
    const wide = await client.token();
    const narrow = await client.token({ scope: 'saved-searches', fresh: true });
    const body = { name: 'Here', search: { licensableIn: ['US'] } };
    const refused = await server.call('createSavedSearch', { token: narrow, body });
    expect(refused).toMatchObject({ status: 403, error: { type: 'insufficient_scope' } });
    const { data: saved } = await server.call('createSavedSearch', { token: wide, body });
    expect(saved.totalRecords).toBeGreaterThan(0);
    const params = { id: saved.id };
    const shown = await server.call('showSavedSearch', { token: narrow, params });
    expect(shown.data.totalRecords).toBe(0);
    const tracks = await server.call('listSavedSearchTracks', { token: narrow, params });
    expect(tracks).toMatchObject({ status: 403, error: { type: 'insufficient_scope' } });
  });

  it.each([
    [['WORLD', 'DE'], 'licensableIn must have WORLD alone, or only countries'],
    [
      ['DE', 'UK'],
      'licensableIn[1] must be WORLD or a country code of ISO 3166-1 in upper case, such as DE (did you mean GB?)',
    ],
    [
      ['de'],
      'licensableIn[0] must be WORLD or a country code of ISO 3166-1 in upper case, such as DE (did you mean DE?)',
    ],
    [['DE', 'DE'], expect.stringMatching(/^licensableIn/)],
  ])('refuses %j', async (licensableIn, message) => {
    const listed = await server.call('listTracks', { token, query: { licensableIn } });
    const body = { name: 'A', search: { licensableIn } };
    const searched = await server.call('searchTracks', { token, body: { licensableIn } });
    const saved = await server.call('createSavedSearch', { token, body });
    for (const { status, error } of [listed, searched]) {
      expect({
        status,
        messages: error.details!.map((one: { message: string }) => one.message),
      }).toEqual({ status: 400, messages: [message] });
    }
    expect(saved.status).toBe(400);
    expect(saved.error.details![0]!.field).toMatch(/^search\.licensableIn/);
  });
});
