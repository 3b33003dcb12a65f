import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/common/clock.ts';
import { BY, delivery } from '../harness/deliveries.ts';
import { newQuote, publishCard } from '../harness/licensing.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { expectNotFound, harnessOf, kindsAfter, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { asClient } from './collections-support.ts';
import { withSales } from './licensing-support.ts';

/** The error of a request that is not for sale, with the tracks that it names. */
const refused = (...problems: [number, string][]) => ({
  kind: 'conflict',
  message: expect.stringMatching(
    new RegExp(`^tracks\\[${problems[0]![0]}\\] .*${problems[0]![1]}`),
  ),
  details: problems.map(([i, message]) => ({
    field: `tracks[${i}]`,
    message: expect.stringContaining(message),
  })),
});
const EXCLUSIVELY = 'is licensed exclusively to others';
const CANNOT = 'cannot be exclusive';

for (const adapter of ADAPTERS) {
  describe(`quotes on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const start = async (count?: number) => withSales(await open(), count);

    it('are kept as they are, and listed newest first', async () => {
      const { store, clock, me, other, quote } = await start();
      const head = await store.changes.head();
      const first = await quote(me, [1, 0]);
      clock.advance(1);
      const second = await quote(me, [2]);
      await quote(other, [0]);
      await quote(asClient(me.clientId, 'test'), [0]);
      expect(await store.quotes.find(first.id, me)).toEqual(first);
      const page = { offset: 0, limit: 9 };
      expect(await store.quotes.list(me, page)).toEqual({ quotes: [second, first], total: 2 });
      expect(await store.quotes.list(me, { offset: 1, limit: 1 })).toEqual({
        quotes: [first],
        total: 2,
      });
      expect(await store.quotes.latest(9)).toHaveLength(4);
      expect(await store.quotes.latest(9, { clientId: other.clientId })).toHaveLength(1);
      await expectNotFound(
        store.quotes.find(first.id, other),
        store.quotes.find(first.id, asClient(me.clientId, 'test')),
      );
      expect(await kindsAfter(store, head)).toEqual([]);
    });

    it('are deleted 400 days after they have expired, unless they were licensed', async () => {
      const { store, clock, me, quote, sell } = await start();
      const { terms } = await sell(me, [0]);
      const { id } = await quote(me, [1]);
      clock.advance(414 * 86_400);
      expect(await store.quotes.expire()).toBe(0);
      clock.advance(1);
      expect(await store.quotes.expire()).toBe(1);
      await expectNotFound(store.quotes.find(id, me));
      expect((await store.quotes.find(terms.quoteId, me)).licenseNumber).not.toBeNull();
    });

    it('are listed for the operator and deleted by the clock, whatever time a test request states', async () => {
      const { store, clock, me, quote } = await start();
      const test = asClient(me.clientId, 'test');
      const names = [trackId(0)];
      const future = await newQuote(store, test, Date.UTC(9000, 0), { names }, clock.now());
      clock.advance(1);
      const present = await quote(me, [0]);
      clock.advance(1);
      const past = await newQuote(store, test, Date.UTC(1990, 0), { names }, clock.now());
      for (const latest of [
        store.quotes.latest(9),
        store.quotes.latest(9, { clientId: me.clientId }),
      ]) {
        expect(await latest).toEqual([past, present, future]);
      }
      expect(await store.quotes.latest(1, { offset: 1 })).toEqual([present]);
      const { quotes } = await store.quotes.list(test, { offset: 0, limit: 9 });
      expect(quotes).toEqual([future, past]);
      expect(await store.quotes.expire()).toBe(0);
      clock.advance(414 * 86_400);
      expect(await store.quotes.expire()).toBe(2);
      expect(await store.quotes.latest(9)).toEqual([past]);
    });

    it('are refused for tracks outside of their region, and for territories without a price', async () => {
      const { store, me, quote } = await start(2);
      const session = await store.catalog.openDelivery(BY, 'more');
      const inRegion = (n: number, region: string) => ({ ...delivery(n), region });
      await session.deliver([inRegion(2, 'DE'), inRegion(3, 'DACH'), inRegion(4, 'FR')]);
      await session.close();
      const asked = quote(me, [0, 2, 3, 4], { territories: ['DE', 'AT'] });
      await expect(asked).rejects.toMatchObject(
        refused(
          [1, 'is not licensable in AT: its region is DE'],
          [3, 'is not licensable in DE, AT: its region is FR'],
        ),
      );
      await publishCard(store, { territories: [{ code: 'DE', countries: ['DE'], factor: '1' }] });
      await expect(quote(me, [0, 1], { territories: ['FR'] })).rejects.toMatchObject(
        refused(
          [0, 'no territory of the rate card contains it'],
          [1, 'no territory of the rate card contains it'],
        ),
      );
      await publishCard(store, { exclusive: undefined });
      await expect(quote(me, [0], { exclusive: true })).rejects.toMatchObject({
        kind: 'conflict',
        details: [{ field: 'exclusive', message: 'exclusive licenses are not sold' }],
      });
      await publishCard(store, { base: { music: 5 } });
      await expect(quote(me, [0])).rejects.toMatchObject(
        refused([0, 'the rate card has no price for sfx']),
      );
    });

    it('name unknown tracks before those that are named twice', async () => {
      const { store, me, quote } = await start();
      await setTrackState(store, trackId(3), 'taken_down', BY);
      await expect(quote(me, [0, 3, 77, 0])).rejects.toMatchObject({
        kind: 'not_found',
        message: `There are no tracks ${trackId(3)}, ${trackId(77)}.`,
      });
      await expect(quote(me, [1, 0, 1])).rejects.toMatchObject({
        kind: 'invalid_request',
        details: [{ field: 'tracks[2]' }],
      });
    });

    it('need a rate card that was not withdrawn', async () => {
      const { store, me, join, quote } = await start();
      await publishCard(store);
      await publishCard(store, { name: 'gold', base: { music: 5_000, sfx: 1 } });
      const gold = await join({ rateCard: 'gold' });
      const versionOf = async (by = me) => (await quote(by, [0])).terms.rateCard;
      expect(await versionOf()).toEqual({ name: 'standard', version: 2 });
      expect(await versionOf(gold)).toEqual({ name: 'gold', version: 1 });
      expect(await store.rateCards.withdraw('standard', 2, BY)).toBe(true);
      expect(await store.rateCards.withdraw('standard', 2, BY)).toBe(false);
      expect(await versionOf()).toEqual({ name: 'standard', version: 1 });
      await store.rateCards.withdraw('standard', 1, BY);
      await expect(quote(me, [0])).rejects.toMatchObject({ kind: 'conflict' });
      await expectNotFound(
        store.rateCards.withdraw('standard', 3, BY),
        store.rateCards.show('silver'),
      );
      const listed = (await store.rateCards.list()).map(({ name, version, isInForce }) => [
        name,
        version,
        isInForce,
      ]);
      expect(listed).toEqual([
        ['gold', 1, true],
        ['standard', 2, false],
        ['standard', 1, false],
      ]);
    });

    it('are priced by a card that the rules of today would refuse', async () => {
      const { store, me, quote } = await start();
      await publishCard(store, { quoteDays: 1_000 });
      for (let i = 0; i < 2; i++) {
        const { terms, createdAt, expiresAt } = await quote(me, [0]);
        expect(terms.rateCard).toEqual({ name: 'standard', version: 2 });
        expect(expiresAt - createdAt).toBe(1_000 * DAY_MS);
      }
    });

    it('collide with exclusive licenses of other accounts in live mode', async () => {
      const { me, join, quote, sell } = await start();
      const [seller, mate] = [await join({ account: 'Acme' }), await join({ account: 'Acme' })];
      await sell(seller, [0], { exclusive: true });
      await expect(quote(me, [1, 0])).rejects.toMatchObject(refused([1, EXCLUSIVELY]));
      // Another medium, country or term, or the same account.
      for (const members of [
        { media: ['broadcast'] },
        { territories: ['FR'] },
        { startsAt: Date.UTC(2026, 0, 1) + 365 * DAY_MS },
      ]) {
        await quote(me, [0], members);
      }
      await quote(mate, [0], { exclusive: true });
      await quote(asClient(me.clientId, 'test'), [0], { exclusive: true });
      await expect(quote(me, [0], { territories: ['WORLD'] })).rejects.toMatchObject(
        refused([0, EXCLUSIVELY]),
      );
    });

    it('are not exclusive if another has any license, until that is revoked or has expired', async () => {
      const { store, clock, me, other, quote, sell } = await start();
      const monthly = await sell(other, [0], { term: 'P1M' });
      const yearly = await sell(other, [1]);
      const asked = () => quote(me, [0, 1], { exclusive: true });
      await expect(asked()).rejects.toMatchObject(refused([0, CANNOT], [1, CANNOT]));
      await store.issuedLicenses.revoke(yearly.number, { reason: 'x', now: clock.now() }, BY);
      await expect(asked()).rejects.toMatchObject(refused([0, CANNOT]));
      clock.advance((monthly.endsAt! - clock.now()) / 1_000);
      await asked();
    });

    it('collide in test mode with the own test licenses, and no others', async () => {
      const { me, other, quote, sell } = await start();
      const test = asClient(me.clientId, 'test');
      await sell(asClient(other.clientId, 'test'), [0], { exclusive: true });
      await sell(other, [0], { exclusive: true });
      await sell(test, [0], { exclusive: true });
      await expect(quote(test, [0])).rejects.toMatchObject(refused([0, EXCLUSIVELY]));
      await quote(asClient(other.clientId, 'live'), [0]);
    });

    it('are exclusive for one of two who buy on two nodes at the same time', async () => {
      const { store, another, me, other, quote, buy } = await start();
      const nodes = [store, await another()];
      for (let round = 0; round < 5; round++) {
        const quotes = await Promise.all(
          [me, other].map((by) => quote(by, [round], { exclusive: true })),
        );
        const results = await Promise.allSettled(
          [me, other].map((by, i) => buy(by, quotes[i]!, { on: nodes[i]! })),
        );
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        const lost = results.find(({ status }) => status === 'rejected');
        expect(lost).toMatchObject({ reason: { kind: 'conflict' } });
      }
    });

    it('find a collision behind many licenses that do not collide', async () => {
      const { me, other, quote, sell } = await start(100);
      const all = Array.from({ length: 100 }, (_, n) => n);
      await sell(other, [7], { media: ['broadcast'] });
      // One statement reads 500 tracks of licenses.
      for (let n = 0; n < 6; n++) await sell(other, all, { territories: ['CH'] });
      const asked = quote(me, all, { exclusive: true, media: ['broadcast'] });
      await expect(asked).rejects.toMatchObject(refused([7, CANNOT]));
      await quote(me, all, { exclusive: true });
    });
  });
}
