import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock as clock } from '../../src/common/clock.ts';
import type { Store } from '../../src/features/store.ts';
import { reportUsage } from '../../src/features/usage/routes/report-usage.ts';
import { deliveries, importAll } from '../harness/deliveries.ts';
import { type FeatureServer, startFeatureServer, tokenOf } from '../harness/feature-server.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { trackId } from '../harness/stores.ts';
import { serveUsage } from '../harness/usage-server.ts';

const sqlite = ADAPTERS.find(({ name }) => name === 'sqlite');

describe.runIf(sqlite !== undefined)('a report of usage that another thread handles', () => {
  /** One node handles reports in the serving thread, the other one in another thread. */
  let nodes: FeatureServer[];
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const openOne = async (): Promise<Store> => {
      const place = await sqlite!.provide();
      closing.unshift(place.dispose);
      const store = await sqlite!.open(place.location, clock);
      await importAll(store, deliveries(0, 3));
      return store;
    };
    const apart = await serveUsage(await openOne());
    const store = await openOne();
    const { usage, idempotency, issuedLicenses: licenses } = store;
    const routes = [reportUsage({ usage, licenses, clock, count: () => {}, maxAgeDays: 7 })];
    const here = await startFeatureServer(routes, { idempotency, clock });
    nodes = [here, apart];
    closing.unshift(here.close, () => store.close(), apart.close);
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  /** Returns the responses of both nodes, without the ids that differ. */
  async function sendToBoth(body: string, more: Record<string, string> = {}) {
    const headers = {
      Authorization: `Bearer ${tokenOf()}`,
      'Content-Type': 'application/json',
      'X-Request-Id': 'one',
      'X-Stave-Now': '2026-11-21T10:00:00Z',
      ...more,
    };
    return Promise.all(
      nodes.map(async ({ http, base }) => {
        const {
          status,
          headers: received,
          body: bytes,
        } = await http.send('POST', '/v1/usage', headers, body);
        const { date: _, ...rest } = received;
        const text = bytes
          .toString()
          .replaceAll(base, '')
          .replace(/"batchId":"[^"]*"/, '');
        return { status, headers: { ...rest, 'content-length': text.length }, text };
      }),
    );
  }

  const event = (members: object = {}) => ({
    ...{ eventId: 'a', type: 'stream', trackId: trackId(0), seconds: 42 },
    ...{ occurredAt: '2026-11-21T09:00:00Z', ...members },
  });
  const bodyOf = (...events: object[]) => JSON.stringify({ events });

  it.each([
    ['no body', '', {}],
    ['what is no JSON', '{"events": [', {}],
    ['a member twice', `{"events":[],"events":[${JSON.stringify(event())}]}`, {}],
    ['501 events', bodyOf(...Array(501).fill(event())), {}],
    [
      'too many members',
      bodyOf(
        ...Array(500).fill({ ...Object.fromEntries(Array.from({ length: 40 }, (_, n) => [n, 0])) }),
      ),
      {},
    ],
    ['fifty problems', bodyOf(...Array(500).fill(event({ seconds: '1', nonsense: 1 }))), {}],
    ['an invalid key', bodyOf(event()), { 'Idempotency-Key': 'ü' }],
    ['another type', bodyOf(event()), { 'Content-Type': 'text/plain' }],
    ['an unknown parameter and no body', '', { 'X-Stave-Now': 'soon' }],
    ['an event', bodyOf(event()), { 'Idempotency-Key': 'k' }],
    ['an event again', bodyOf(event()), { 'Idempotency-Key': 'k' }],
    ['another event with its key', bodyOf(event({ seconds: 1 })), { 'Idempotency-Key': 'k' }],
    [
      'events of any result',
      bodyOf(
        event(),
        event({ seconds: 7 }),
        event({ eventId: 'b', trackId: trackId(2_000) }),
        event({ eventId: 'c', occurredAt: '2026-11-01T00:00:00Z' }),
      ),
      {},
    ],
  ])('has the response that the serving thread would make: %s', async (_, body, headers) => {
    const [here, apart] = await sendToBoth(body, headers as Record<string, string>);
    expect(apart).toEqual(here);
  });

  it('has that response for any events', async () => {
    const any = fc.record(
      {
        eventId: fc.constantFrom('a', 'b', 'c', '', 'd e'),
        type: fc.constantFrom('stream', 'download', 'sync', 'other'),
        trackId: fc.constantFrom(trackId(0), trackId(1), trackId(2_000), 'x'),
        occurredAt: fc.constantFrom(
          '2026-11-21T09:00:00Z',
          '2026-11-21T10:30:00+01:00',
          '2026-11-01T00:00:00Z',
          '2026-13-01T00:00:00Z',
        ),
        seconds: fc.constantFrom(0, 42, -1, '1', null),
        userId: fc.string(),
        country: fc.constantFrom('DE', 'de', 'XX'),
        licenseNumber: fc.constantFrom('2026-000001-AAAAAAAA', ''),
      },
      { requiredKeys: ['eventId', 'type', 'trackId', 'occurredAt'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(any, { maxLength: 5 }), async (events) => {
        const [here, apart] = await sendToBoth(bodyOf(...events));
        expect(apart).toEqual(here);
      }),
      { numRuns: 100 },
    );
  });
});
