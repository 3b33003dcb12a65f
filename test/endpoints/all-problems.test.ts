import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallOptions } from '../harness/call.ts';
import { deliveries } from '../harness/catalog.ts';
import { publishCard, quoteBody } from '../harness/licensing.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(5) });
  const features = ['webhooks', 'licensing', 'saved-searches', 'usage', 'changes'] as const;
  token = await (await server.createClient({ features: [...features] })).token();
  await publishCard(server.operator.store);
});
afterAll(() => server?.close());

async function fieldsOf(operation: string, options: CallOptions): Promise<string[]> {
  const { status, error } = await server.call(operation, { token, ...options });
  expect(status).toBe(400);
  return error.details!.map(({ field }) => field);
}

const UNKNOWN = { id: '00000000-0000-4000-8000-000000000000' };
const ANY_VERSION = { 'If-Match': '*' };

describe('all problems of a request are reported at once', () => {
  it.each<[string, CallOptions, string[]]>([
    [
      'createWebhook',
      { body: { url: 'ftp://a', eventTypes: [], more: 1 } },
      ['eventTypes', 'more', 'url'],
    ],
    [
      'updateWebhook',
      { params: UNKNOWN, body: { url: 'ftp://a', enabled: 1 }, headers: ANY_VERSION },
      ['enabled', 'url'],
    ],
    ['updateWebhook', { params: UNKNOWN, body: { enabled: 1 }, headers: ANY_VERSION }, ['enabled']],
    [
      'replayWebhook',
      {
        params: UNKNOWN,
        body: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z', status: 'x' },
      },
      ['status', 'to'],
    ],
    [
      'createQuote',
      { body: quoteBody({ tracks: [], media: ['tv'], term: 'P2Y' }) },
      ['tracks', 'media[0]', 'term'],
    ],
    [
      'createSavedSearch',
      { body: { name: '', search: { licensableIn: ['WORLD', 'DE'], bpmMin: -1 } } },
      ['name', 'search.bpmMin', 'search.licensableIn'],
    ],
    [
      'createCollection',
      { body: { tracks: ['a', 7, 'A'], name: 'x', more: 1 } },
      ['tracks[1]', 'more', 'tracks[2]'],
    ],
    [
      'replaceCollectionItems',
      {
        params: UNKNOWN,
        body: { items: [{ track: 'a' }, { note: 'x' }, { track: 'A', note: 5 }, { track: 'a' }] },
        headers: ANY_VERSION,
      },
      ['items[1].track', 'items[2].note', 'items[3].track'],
    ],
    [
      'searchTracks',
      { body: { licensableIn: ['WORLD', 'DE'], page: 0 } },
      ['page', 'licensableIn'],
    ],
    ['listTracks', { query: 'licensableIn=WORLD,DE&page=0' }, ['page', 'licensableIn']],
    ['readUsageSummary', { query: 'from=2026-02-01&to=2026-01-01&page=0' }, ['page', 'from']],
    ['readUsageSummary', { query: 'to=garbage' }, ['to']],
    ['listTrackChanges', { query: 'since=2026-01-01T00:00:00Z&wait=5&limit=0' }, ['limit', 'wait']],
    ['readTrackSnapshot', { query: 'resume=x&more=1' }, ['more', 'resume']],
  ])('%s %j', async (operation, options, fields) => {
    expect(await fieldsOf(operation, options)).toEqual(fields);
  });
});

describe('a day that does not exist', () => {
  it('is no date, rather than malformed', async () => {
    const days = 'name a day that exists; 2024-02-30 is no date';
    const query = 'releasedFrom=2024-02-30&releasedTo=2024-02-30T10:00:00Z';
    const { error } = await server.call('listTracks', { token, query });
    expect(error.details!.map(({ message }) => message)).toEqual([
      `releasedFrom must ${days}`,
      `releasedTo must ${days}`,
    ]);
    const headers = { 'X-Stave-Now': '2024-02-30T10:00:00Z' };
    const stated = await server.call('createQuote', { token, headers, body: quoteBody() });
    expect(stated.error.details![0]!.message).toBe(`X-Stave-Now must ${days}`);
  });
});

describe('an unknown track of a quote', () => {
  it('is named with the slug that it may mean', async () => {
    const refusal = async (tracks: string[]) => {
      const { status, error } = await server.call('createQuote', {
        token,
        body: quoteBody({ tracks }),
      });
      expect(status).toBe(404);
      return error.message;
    };
    const slug = 'rain-over-lisbon';
    expect((await server.call('showTrack', { token, params: { slug } })).status).toBe(200);
    expect(await refusal(['rain-over-lisobn'])).toBe(
      'There is no track rain-over-lisobn; did you mean rain-over-lisbon?',
    );
    expect(await refusal(['rain-over-lisobn', 'xyzzy'])).toBe(
      'There are no tracks rain-over-lisobn, xyzzy; did you mean rain-over-lisbon instead of rain-over-lisobn?',
    );
    expect(await refusal(['xyzzy'])).toBe('There is no track xyzzy.');
    expect(await refusal([UNKNOWN.id])).toBe(`There is no track ${UNKNOWN.id}.`);
  });

  const unknownMembers = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x${i}`, 1]));
  const numbers = Array.from({ length: 60 }, (_, i) => i);
  it.each<[string, CallOptions]>([
    ['createCollection', { body: { name: 'a', tracks: numbers } }],
    ['createCollection', { body: { ...unknownMembers, name: 'a', tracks: 5 } }],
    [
      'replaceCollectionItems',
      { params: UNKNOWN, body: { items: numbers.map(() => ({})) }, headers: ANY_VERSION },
    ],
    ['createSavedSearch', { body: { ...unknownMembers, name: 'a', search: null } }],
    [
      'createQuote',
      { body: { ...unknownMembers, ...quoteBody(), media: 5, territories: { length: 5 } } },
    ],
    ['createQuote', { body: quoteBody({ territories: Array.from({ length: 9_000 }, () => 'a') }) }],
  ])('%s lists the first 50 of more problems', async (operation, options) => {
    expect(await fieldsOf(operation, options)).toHaveLength(50);
  });
});
