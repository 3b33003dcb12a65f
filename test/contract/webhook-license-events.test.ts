import { describe, expect, it } from 'vitest';
import { FEATURES } from '../../src/common/caller.ts';
import { DAY_MS } from '../../src/common/clock.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { certifier, LICENSEE, newQuote, publishCard } from '../harness/licensing.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, someClient, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { asClient } from './collections-support.ts';
import { brokenLinks, withFanOut } from './webhook-fan-out-support.ts';

for (const adapter of ADAPTERS) {
  describe(`messages about licenses on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const start = async () => {
      const harness = await withFanOut(await open());
      const { store, clock } = harness;
      await importAll(store, deliveries(0, 60));
      await publishCard(store);
      const sell = async (
        by: ReturnType<typeof asClient>,
        tracks: readonly number[],
        startsAt: number | null = null,
      ) => {
        const now = clock.now();
        const names = tracks.map(trackId);
        const { id: quoteId } = await newQuote(store, by, now, { names, startsAt });
        const request = { quoteId, termsVersion: '2026-1', licensee: LICENSEE };
        const issue = { statedNow: now, certify: certifier() };
        return (await store.issuedLicenses.issue(request, issue, by)).license;
      };
      const { client } = harness;
      await store.clients.update(client.id, { features: [...FEATURES] }, BY);
      return { ...harness, sell };
    };

    it('go to the client that bought them, in their mode', async () => {
      const { store, clock, me, client, create, run, sent, sell } = await start();
      const eventTypes = ['license.issued', 'license.revoked'] as const;
      const { id } = await create({ eventTypes: [...eventTypes] });
      const other = someClient();
      await store.clients.create(other, BY);
      const sixty = Array.from({ length: 60 }, (_, n) => n);
      const first = await sell(me, sixty);
      const later = await sell(me, [1], clock.now() + DAY_MS);
      await sell(asClient(other.id, me.mode), [2]);
      await sell(asClient(client.id, me.mode === 'live' ? 'test' : 'live'), [2]);
      const imported = { externalId: 'x', trackId: trackId(0), licensedAt: 1, clientId: client.id };
      await store.licenses.put([{ ...imported, mode: me.mode }], BY, 'b');
      await run();
      await store.issuedLicenses.revoke(first.number, { reason: 'x', now: clock.now() }, BY);
      await run();
      const messages = await sent(id);
      expect(
        messages.map(({ type, data }) => [type, data.number, data.status, data.count]),
      ).toEqual([
        ['license.issued', first.number, 'active', 60],
        ['license.issued', later.number, 'scheduled', 1],
        ['license.revoked', first.number, 'revoked', 60],
      ]);
      expect(messages[0]!.data.trackIds).toEqual(sixty.slice(0, 50).map(trackId));
      const issued = messages.filter(({ type }) => type === 'license.issued');
      expect(brokenLinks(issued, 0)).toEqual([]);
    });

    it('are not needed for a track to be referred to: its license is enough', async () => {
      const { store, me, create, run, sent, sell } = await start();
      const { id } = await create({ eventTypes: ['track.taken_down'], referencedOnly: true });
      await sell(me, [1]);
      await sell(me, [1, 2]);
      for (const n of [0, 1]) await setTrackState(store, trackId(n), 'taken_down', BY);
      await run();
      const [message, ...rest] = await sent(id);
      expect(rest).toEqual([]);
      expect(message!.data.items).toMatchObject([
        { trackId: trackId(1), references: { playlists: 0, collections: 0, licenses: 2 } },
      ]);
    });
  });
}
