import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/common/clock.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { LICENSEE, publishCard } from '../harness/licensing.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, expectNotFound, harnessOf, kindsAfter, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { asClient } from './collections-support.ts';
import { withSales } from './licensing-support.ts';

const conflict = (message: string) => ({
  kind: 'conflict',
  message: expect.stringContaining(message),
});

for (const adapter of ADAPTERS) {
  describe(`licenses on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const start = async (count?: number) => withSales(await open(), count);

    it('are bought once by a quote, however many ask at the same time on two nodes', async () => {
      const { store, another, me, quote, buy } = await start();
      const nodes = [store, await another()];
      const quoted = await quote(me, [0, 1]);
      const issues = await Promise.all(
        Array.from({ length: 50 }, (_, i) => buy(me, quoted, { on: nodes[i % 2]! })),
      );
      expect(issues.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(new Set(issues.map(({ license }) => license.number)).size).toBe(1);
      expect(new Set(issues.map(({ license }) => license.certificate)).size).toBe(1);
      const { total } = await store.issuedLicenses.list(me, { now: 0, offset: 0, limit: 9 });
      expect(total).toBe(1);
    });

    it('are returned again also after the quote has expired, but to no other licensee', async () => {
      const { clock, me, quote, buy } = await start();
      const quoted = await quote(me, [0]);
      const { license } = await buy(me, quoted);
      clock.advance(15 * 86_400);
      expect(await buy(me, quoted)).toEqual({ license, isNew: false, now: clock.now() });
      for (const other of [
        { licensee: { ...LICENSEE, name: 'Other' } },
        { licensee: { ...LICENSEE, country: 'AT' } },
        { licensee: { name: LICENSEE.name, country: LICENSEE.country } },
        { termsVersion: '2025-1' },
      ]) {
        await expect(buy(me, quoted, other)).rejects.toMatchObject(conflict(license.number));
      }
    });

    it('cost what was quoted, whatever happens to the card', async () => {
      const { store, me, quote, buy } = await start();
      const quoted = await quote(me, [0]);
      await publishCard(store, { base: { music: 99_999, sfx: 99_999 }, termsVersion: '2027-1' });
      await store.rateCards.withdraw('standard', 1, BY);
      const { license } = await buy(me, quoted);
      expect(license.amountMinor).toBe(quoted.terms.amountMinor);
      expect(license.terms).toMatchObject({ termsVersion: '2026-1', minorUnit: 2 });
      expect((await quote(me, [0])).terms).toMatchObject({ rateCard: { version: 2 } });
    });

    it('need a quote that has not expired, with its terms and its start', async () => {
      const { store, clock, me, other, quote, buy } = await start();
      const quoted = await quote(me, [0]);
      await expectNotFound(buy(other, quoted), buy(asClient(me.clientId, 'test'), quoted));
      await expect(buy(me, quoted, { termsVersion: '2025' })).rejects.toMatchObject(
        conflict('termsVersion must be 2026-1'),
      );
      const starting = await quote(me, [1], { startsAt: clock.now() });
      clock.advance(301);
      await expect(buy(me, starting)).rejects.toMatchObject(conflict('has passed'));
      clock.advance(14 * 86_400 - 301);
      await expect(buy(me, quoted)).rejects.toMatchObject({ kind: 'gone' });
      expect((await store.quotes.find(quoted.id, me)).licenseNumber).toBeNull();
    });

    it('are judged by the time at which no other can be issued before', async () => {
      const { store, another, clock, me, other, quote, buy, certify } = await start();
      const node = await another();
      const [{ id: quoteId, terms }, late] = [await quote(me, [0]), await quote(other, [1])];
      let waiting: Promise<unknown> | undefined;
      await store.issuedLicenses.issue(
        { quoteId, termsVersion: terms.termsVersion, licensee: LICENSEE },
        {
          certify(license) {
            // It has come before the quote expires, and waits for the license that is being issued.
            waiting ??= buy(other, late, { on: node }).catch((error) => error);
            clock.advance(14 * 86_400);
            return certify(license);
          },
        },
        me,
      );
      expect(await waiting).toMatchObject({ kind: 'gone' });
    });

    it('are not sold where the region of a track no longer covers a territory', async () => {
      const { store, me, quote, buy } = await start();
      // The rules of today would refuse this card.
      await publishCard(store, { quoteDays: 1_000 });
      const quoted = await quote(me, [0, 1], { territories: ['DE', 'AT'] });
      await importAll(store, [{ ...delivery(1), region: 'DE' }]);
      await expect(buy(me, quoted)).rejects.toMatchObject({
        ...conflict('is not licensable in AT: its region is DE'),
        details: [{ field: 'items[1]' }],
      });
      await importAll(store, [{ ...delivery(1), region: 'DACH' }]);
      // The groups are those of the card that has priced the quote.
      await publishCard(store, { territories: [{ code: 'EU', countries: ['DE'], factor: '1' }] });
      expect((await buy(me, quoted)).isNew).toBe(true);
    });

    it('are not sold of tracks that were taken down or removed meanwhile', async () => {
      const { store, me, quote, buy } = await start();
      const quoted = await quote(me, [0, 1, 2]);
      await setTrackState(store, trackId(1), 'taken_down', BY);
      await expect(buy(me, quoted)).rejects.toMatchObject({
        ...conflict('was taken down'),
        details: [{ field: 'items[1]', message: expect.stringMatching(/ was taken down$/) }],
      });
      await setTrackState(store, trackId(1), 'live', BY);
      expect((await buy(me, quoted)).isNew).toBe(true);
    });

    it('keep their tracks through takedowns, and show them', async () => {
      const { store, me, sell } = await start();
      const { number, terms } = await sell(me, [0, 1]);
      await setTrackState(store, trackId(1), 'taken_down', BY);
      const found = await store.issuedLicenses.find(number.toLowerCase(), me);
      expect(found.terms).toEqual(terms);
      expect([...found.takenDown]).toEqual([trackId(1)]);
      await setTrackState(store, trackId(1), 'live', BY);
      expect((await store.issuedLicenses.find(number, me)).takenDown.size).toBe(0);
    });

    it('count for popularity in their mode until they are revoked, and are logged', async () => {
      const { store, me, sell } = await start();
      const head = await store.changes.head();
      const counts = async (mode: 'test' | 'live') => store.licenses.countsByTrack(mode);
      const { number } = await sell(me, [0, 1]);
      await sell(asClient(me.clientId, 'test'), [0]);
      expect(await counts('live')).toEqual(
        new Map([
          [trackId(0), 1],
          [trackId(1), 1],
        ]),
      );
      expect(await counts('test')).toEqual(new Map([[trackId(0), 1]]));
      const revocation = { reason: 'not paid', now: 5 };
      expect(await store.issuedLicenses.revoke(number.toLowerCase(), revocation, BY)).toBe(true);
      expect(await store.issuedLicenses.revoke(number, revocation, BY)).toBe(false);
      expect(await store.issuedLicenses.find(number, me)).toMatchObject({
        revokedAt: 5,
        reason: 'not paid',
      });
      expect(await counts('live')).toEqual(new Map());
      expect(await kindsAfter(store, head)).toEqual([
        'license.created',
        'license.created',
        'license.removed',
      ]);
      const { clientId } = me;
      const changes = (await allChanges(store)).filter(({ entity }) => entity === 'license');
      expect(changes[0]).toMatchObject({ clientId, mode: 'live', entityId: number });
      expect(changes[1]).toMatchObject({ clientId, mode: 'test' });
      expect(changes[2]).toMatchObject({ clientId, mode: 'live', by: BY, entityId: number });
      await expectNotFound(store.issuedLicenses.revoke('2026-000009-AAAAAAAA', revocation, BY));
    });

    it('are listed while other requests are served', async () => {
      const { store, clock, me, sell } = await start();
      for (let n = 0; n < 11; n++) await sell(me, [n % 5]);
      const order: string[] = [];
      const page = { now: clock.now(), offset: 0, limit: 100 };
      const listing = store.issuedLicenses.list(me, page).then(({ licenses }) => {
        order.push('listed');
        return licenses;
      });
      await nextTurn();
      order.push('served');
      const numbers = (await listing).map(({ number }) => number);
      expect(order).toEqual(['served', 'listed']);
      // All have one time of issue, so the numbers order them.
      expect(numbers).toEqual(numbers.toSorted().reverse());
      expect(numbers).toHaveLength(11);
    });

    it('are found by their client, mode, state and track, newest first', async () => {
      const { store, clock, me, other, sell } = await start();
      const first = await sell(me, [0], { term: 'P1M' });
      clock.advance(60);
      const second = await sell(me, [0, 1], { startsAt: clock.now() + DAY_MS });
      clock.advance(60);
      const third = await sell(me, [2], { term: 'PERPETUAL' });
      await store.issuedLicenses.revoke(third.number, { reason: 'x', now: clock.now() }, BY);
      await sell(other, [3]);
      await sell(asClient(me.clientId, 'test'), [0]);
      const page = { offset: 0, limit: 9 };
      const found = async (filter: object, now = clock.now()) => {
        const { licenses, total } = await store.issuedLicenses.list(me, {
          ...page,
          now,
          ...filter,
        });
        expect(total).toBe(licenses.length);
        return licenses.map(({ number }) => number);
      };
      expect(await found({})).toEqual([third.number, second.number, first.number]);
      expect(await found({ trackId: trackId(0) })).toEqual([second.number, first.number]);
      expect(await found({ status: 'scheduled' })).toEqual([second.number]);
      expect(await found({ status: 'active' })).toEqual([first.number]);
      expect(await found({ status: 'revoked' })).toEqual([third.number]);
      expect(await found({ status: 'expired' }, first.endsAt! - 1)).toEqual([]);
      expect(await found({ status: 'expired' }, first.endsAt!)).toEqual([first.number]);
      await expectNotFound(
        store.issuedLicenses.find(first.number, other),
        store.issuedLicenses.find(first.number, asClient(me.clientId, 'test')),
      );
      const known = await store.issuedLicenses.known([first.number, 'X', third.number], me);
      expect([...known].sort()).toEqual([first.number, third.number].sort());
    });
  });
}
