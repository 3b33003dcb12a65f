import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveries } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

/**
 * Any request gets a response that the document declares, and never an internal error. The harness
 * checks status, headers and body of each response.
 */
let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(40) });
  token = await (await server.createClient()).token();
});
afterAll(() => server?.close());

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
  fc.constantFrom(
    'page',
    'pageSize',
    'search',
    'type',
    'hasVocals',
    'filterIds',
    'filterSlugs',
    'anyFilterSlugs',
    'notFilterIds',
    'in',
  ),
  fc.constantFrom('sort', 'facets', 'songKey', 'bpmMin', 'bpmMax', 'durationMin', 'durationMax'),
  fc.constantFrom('releasedFrom', 'releasedTo', 'q', 'limit', 'isrc', 'period', 'query'),
  fc.constantFrom('__proto__', 'constructor', 'toString', ''),
);
/** A query string, encoded correctly or not. */
const query = fc.array(fc.tuple(names, text, fc.boolean()), { maxLength: 5 }).map((pairs) =>
  pairs
    .map(([name, value, isEncoded]) => {
      const wellFormed = value.toWellFormed();
      // Sent without encoding, except for bytes that no request line can contain.
      const raw = wellFormed.replace(/[^\x21\x24-\x7e]/g, '');
      return `${name}=${isEncoded ? encodeURIComponent(wellFormed) : raw}`;
    })
    .join('&'),
);
const body = fc.oneof(
  fc.record({ tracks: fc.array(text, { maxLength: 5 }) }),
  fc.record({ trackIds: fc.array(fc.oneof(fc.uuid(), text), { maxLength: 5 }) }),
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
    'showPlaylist',
    'listPlaylistTracks',
    'listMostLicensed',
    'showTrack',
    'readMe',
    'readVersion',
  ])('to %s gets a declared response', async (operationId) => {
    await fc.assert(
      fc.asyncProperty(query, text, async (queryString, name) => {
        const segment = name.toWellFormed();
        const params = { slug: segment || '-', idOrSlug: segment || '-' };
        const { status } = await server.call(operationId, { token, query: queryString, params });
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 60 },
    );
  });

  it.each(['searchTracks', 'batchTracks', 'signStreams', 'createToken'])(
    'with any body to %s gets a declared response',
    async (operationId) => {
      await fc.assert(
        fc.asyncProperty(body, async (anything) => {
          const { status } = await server.call(operationId, { token, body: anything });
          expect(status).toBeLessThan(500);
        }),
        { numRuns: 200 },
      );
    },
  );

  it('does not change the service', async () => {
    const { data } = await server.call('listTracks', { token });
    expect(data.totalRecords).toBe(40);
  });
});
