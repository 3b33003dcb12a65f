import { describe, expect, it } from 'vitest';
import { BY } from '../harness/deliveries.ts';
import { publishCard } from '../harness/licensing.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { asClient } from './collections-support.ts';
import { withSales } from './licensing-support.ts';

const conflict = (message: string) => ({
  kind: 'conflict',
  message: expect.stringContaining(message),
});

const BASE = { base: { music: 10_000, sfx: 10_000 } };

for (const adapter of ADAPTERS) {
  describe(`licenses on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    /** The license of a track costs 100.00 EUR. */
    const start = async () => {
      const sales = await withSales(await open());
      await publishCard(sales.store, BASE);
      return sales;
    };

    it('cost at most the spending limit of their client in a month and mode', async () => {
      const { store, another, clock, join, quote, buy, sell } = await start();
      const me = await join({ spendingLimit: 250 });
      const tester = asClient(me.clientId, 'test');
      const left = async (by = me) =>
        (await store.quotes.spendable(by, clock.now()))?.remainingMinor ?? null;
      const { number } = await sell(me, [0]);
      expect([await left(), await left(tester)]).toEqual([15_000, 25_000]);

      // Two nodes sell at once, and only one of the licenses is within the limit.
      const nodes = [store, await another()];
      const quotes = [await quote(me, [1]), await quote(me, [2])];
      const sales = await Promise.allSettled(
        quotes.map((one, i) => buy(me, one, { on: nodes[i]! })),
      );
      const [refusal, ...others] = sales.filter((sale) => sale.status === 'rejected');
      expect(others).toEqual([]);
      const message =
        'The license costs 100.00 EUR, and 50.00 EUR is left of the spending limit of 250 EUR';
      expect(refusal?.reason).toMatchObject(conflict(message));
      const at = sales.findIndex(({ status }) => status === 'rejected');
      // A repeated request is no sale.
      expect((await buy(me, quotes[1 - at]!)).isNew).toBe(false);

      await store.issuedLicenses.revoke(number, { reason: 'x', now: clock.now() }, BY);
      expect((await buy(me, quotes[at]!)).isNew).toBe(true);
      expect([await left(), await left(tester)]).toEqual([5_000, 25_000]);
      await store.clients.update(me.clientId, { spendingLimit: 100 }, BY);
      expect(await left()).toBe(0);
    });

    it('of other months and currencies do not count for the spending limit', async () => {
      const { store, clock, join, quote, buy, sell } = await start();
      const me = await join({ spendingLimit: 150 });
      const left = async () =>
        (await store.quotes.spendable(me, clock.now()))?.remainingMinor ?? null;
      await sell(me, [0]);
      clock.advance(31 * 86_400);
      expect(await left()).toBe(15_000);
      await sell(me, [1]);
      const euros = await quote(me, [2]);
      await publishCard(store, { ...BASE, currency: 'JPY' });
      expect(await left()).toBe(150);
      await expect(sell(me, [3])).rejects.toMatchObject(conflict('10000 JPY, and 150 JPY is left'));
      expect((await buy(me, euros)).isNew).toBe(true);
      await store.clients.update(me.clientId, { spendingLimit: null }, BY);
      expect(await left()).toBeNull();
      await sell(me, [3]);
    });
  });
}
