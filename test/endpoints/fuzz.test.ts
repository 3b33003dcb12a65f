import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveries } from '../harness/catalog.ts';
import { startHouse, type TestHouse } from '../harness/house.ts';

/**
 * Whatever is sent, the answer is one that the document declares, and never a failure of ours. The
 * harness holds status, headers and body of each answer.
 */
let house: TestHouse;
let token: string;
beforeAll(async () => {
  house = await startHouse({ tracks: deliveries(40) });
  token = await (await house.createClient()).token();
});
afterAll(() => house?.close());

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 220 }),
  fc.constantFrom(
    '0',
    '1',
    '-1',
    '1e2',
    '100',
    '101',
    'true',
    'music',
    '7d',
    '0.5',
    '2024-02-29',
    '2024-02-30',
    '2024-01-31T12:00:00Z',
    'popular',
    'ambient',
    'calm,',
    ',',
  ),
  fc.constantFrom('%', '%00', '%ff', '+', '&', '=', '#', '__proto__', '夜', 'ｆｕｌｌ', '\u202e'),
);
const names = fc.oneof(
  fc.constantFrom('page', 'pageSize', 'search', 'type', 'hasVocals', 'filterIds', 'filterSlugs'),
  fc.constantFrom('sort', 'facets', 'songKey', 'bpmMin', 'bpmMax', 'durationMin', 'durationMax'),
  fc.constantFrom('releasedFrom', 'releasedTo', 'q', 'limit', 'isrc', 'period', 'query'),
  fc.constantFrom('__proto__', 'constructor', 'toString', ''),
);
/** A query string, well encoded or not at all. */
const query = fc.array(fc.tuple(names, text, fc.boolean()), { maxLength: 5 }).map((pairs) =>
  pairs
    .map(([name, value, isEncoded]) => {
      const wellFormed = value.toWellFormed();
      // Sent as it is, but for what could not stand in a request line at all.
      const raw = wellFormed.replace(/[^\x21\x24-\x7e]/g, '');
      return `${name}=${isEncoded ? encodeURIComponent(wellFormed) : raw}`;
    })
    .join('&'),
);
const body = fc.oneof(
  fc.dictionary(names, fc.oneof(text, fc.jsonValue({ maxDepth: 3 })), { maxKeys: 5 }),
  fc.jsonValue({ maxDepth: 5 }),
  fc.string({ maxLength: 50 }),
);

describe('any request', () => {
  it.each([
    'listTracks',
    'suggest',
    'listFilters',
    'listPlaylists',
    'listPlaylistTracks',
    'listMostLicensed',
    'showTrack',
    'readMe',
    'readVersion',
  ])('to %s gets an answer of the contract', async (operationId) => {
    await fc.assert(
      fc.asyncProperty(query, text, async (queryString, name) => {
        const segment = name.toWellFormed();
        const params = { slug: segment || '-', idOrSlug: segment || '-' };
        const { status } = await house.call(operationId, { token, query: queryString, params });
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 60 },
    );
  });

  it.each(['searchTracks', 'createToken'])('to %s gets one too', async (operationId) => {
    await fc.assert(
      fc.asyncProperty(body, async (anything) => {
        const { status } = await house.call(operationId, { token, body: anything });
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  });

  it('leaves the service as it was', async () => {
    const { data } = await house.call('listTracks', { token });
    expect(data.totalRecords).toBe(40);
  });
});
