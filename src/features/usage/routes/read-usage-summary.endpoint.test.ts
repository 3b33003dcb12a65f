import { expect, it } from 'vitest';
import { deliveries } from '../../../../test/harness/catalog.ts';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

const NOW = '2026-11-21T10:00:00Z';
const IDS = deliveries(2).map(({ id }) => id);
const FIXTURES = [
  'f1c70000-0000-4000-8000-000000000200',
  'f1c70000-0000-4000-8000-000000000410',
] as const;

testEndpoint({
  operationId: 'readUsageSummary',
  operation: 'GET /v1/usage/summary',
  access: { feature: 'usage' },
  request: ({ featured }) => ({ token: featured }),
  expectResponse({ data }) {
    expect(data).toMatchObject({ totalRecords: 0, items: [], totals: { streams: 0, seconds: 0 } });
  },
  more(context) {
    const event = (eventId: string, members: object = {}) => ({
      ...{ eventId, type: 'stream', trackId: IDS[0], occurredAt: '2026-11-20T23:59:59Z' },
      ...{ seconds: 42, ...members },
    });
    async function reporter(...events: object[]) {
      const { server } = context();
      const client = await server.createClient({ scopes: ['usage'], features: ['usage'] });
      const token = await client.token();
      const headers = { 'X-Stave-Now': NOW };
      const { data } = await server.call('reportUsage', { token, headers, body: { events } });
      return {
        client,
        results: data.results,
        summary: (query: Record<string, string | number> = {}) =>
          server.call('readUsageSummary', { token, headers, query }),
      };
    }

    it('returns pages of groups, and the totals over all pages', async () => {
      const { summary } = await reporter(
        event('a'),
        event('b', { occurredAt: '2026-11-21T00:00:00Z', country: 'DE' }),
        event('c', { occurredAt: '2026-11-21T01:00:00Z', trackId: IDS[1] }),
      );
      const totals = { streams: 3, downloads: 0, syncs: 0, seconds: 126 };
      const { data, headers } = await summary({ pageSize: 1 });
      expect(data).toEqual({
        ...{ totalRecords: 2, totalPages: 2, currentPage: 1, pageSize: 1 },
        items: [{ key: '2026-11-20', streams: 1, downloads: 0, syncs: 0, seconds: 42 }],
        totals,
      });
      expect(headers.link).toContain('page=2');
      const next = await summary({ pageSize: 1, page: 2, groupBy: 'track' });
      expect(next.data).toMatchObject({ items: [{ key: IDS[1], streams: 1 }], totals });
      const one = await summary({ groupBy: 'country', trackId: IDS[0]!.toUpperCase() });
      expect(one.data.items.map(({ key }: { key: string }) => key)).toEqual(['', 'DE']);
    });

    it('covers 30 days until today by default, and 400 at most', async () => {
      const { summary } = await reporter(event('a'));
      const items = async (query: Record<string, string>) =>
        (await summary(query)).data.totalRecords;
      expect(await items({})).toBe(1);
      expect(await items({ to: '2026-12-19' })).toBe(1);
      expect(await items({ to: '2026-12-20' })).toBe(0);
      expect(await items({ from: '2026-11-20', to: '2026-11-20' })).toBe(1);
      expect(await items({ from: '2025-10-18' })).toBe(1);
      const refused: Record<string, string>[] = [
        { from: '2025-10-17' },
        { from: '2026-11-22' },
        { from: '2026-11-20', to: '2026-11-19' },
      ];
      for (const query of refused) {
        const { status, error } = await summary(query);
        expect([status, error.details![0]!.field]).toEqual([400, 'from']);
      }
    });

    it.each([
      ['from', '21.11.2026'],
      ['to', '2026-11-31'],
      ['groupBy', 'year'],
      ['type', 'play'],
      ['trackId', 'night-ferry'],
      ['pageSize', 101],
      ['client', 'me'],
    ])('refuses %s=%s', async (field, value) => {
      const { summary } = await reporter(event('a'));
      const { status, error } = await summary({ [field]: value });
      expect([status, error.details!.map((one) => one.field)]).toEqual([400, [field]]);
    });

    it('does not count fixture tracks, nor another client, nor the other mode', async () => {
      const { results, summary, client } = await reporter(
        event('a', { trackId: FIXTURES[0] }),
        event('b', { trackId: FIXTURES[1] }),
        event('a', { trackId: FIXTURES[0] }),
        event('c', { trackId: FIXTURES[0], occurredAt: '2020-01-01T00:00:00Z' }),
        event('d'),
      );
      expect(results).toMatchObject([
        { status: 'accepted', takenDown: false },
        { status: 'accepted', takenDown: true },
        { status: 'accepted' },
        { reason: 'too_old' },
        { status: 'accepted', eventId: 'd' },
      ]);
      expect((await summary()).data.totals.streams).toBe(1);
      const token = await client.token({ mode: 'live' });
      const query = { from: '2026-11-01', to: '2026-11-30' };
      const live = await context().server.call('readUsageSummary', { token, query });
      expect(live.data.totals.streams).toBe(0);
      const sent = { events: [event('e', { trackId: FIXTURES[0] })] };
      const { data } = await context().server.call('reportUsage', { token, body: sent });
      expect(data.results[0].reason).toBe('unknown_track');
    });
  },
});
