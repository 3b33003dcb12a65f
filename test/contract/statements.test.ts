import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/common/clock.ts';
import { newId } from '../../src/common/ids.ts';
import { licenseCsv } from '../../src/features/licensing/issued-license.ts';
import type { Store } from '../../src/features/store.ts';
import {
  monthsOf,
  readStatement,
  readStatements,
  statementSheet,
} from '../../src/operator/statements/statement.ts';
import { BY } from '../harness/deliveries.ts';
import { publishCard } from '../harness/licensing.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, someClient } from '../harness/stores.ts';
import { asClient } from './collections-support.ts';
import { withSales } from './licensing-support.ts';
import { report, stream } from './usage-support.ts';

const CURRENCIES = ['EUR', 'JPY', 'KWD'] as const;
const [JANUARY, FEBRUARY] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1)];

/** The sums of the exported live licenses of a client in some months, by currency. */
async function exported(
  store: Store,
  clientId: string,
  { from, to }: { from: number; to: number },
) {
  const sums: Record<string, number> = {};
  const filter = { clientId, mode: 'live', from, to, now: to } as const;
  const csv = licenseCsv(store.issuedLicenses.records(filter), () => null);
  for await (const rows of csv) {
    for (const row of rows.trimEnd().split('\r\n')) {
      // The last columns are the purchase order and who bought it.
      const [amount, currency] = row.split(',').slice(-5) as [string, string];
      if (currency !== 'Currency') sums[currency] = (sums[currency] ?? 0) + Number(amount);
    }
  }
  return sums;
}

for (const adapter of ADAPTERS) {
  describe(`statements on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const start = async () => withSales(await open());

    it('have the amounts of the export of licenses, whatever was sold and revoked', async () => {
      const harness = await start();
      const { store, clock, me, other, sell } = harness;
      for (const currency of CURRENCIES) await publishCard(store, { name: currency, currency });
      const sale = fc.record({
        days: fc.integer({ min: 0, max: 20 }),
        isOther: fc.boolean(),
        mode: fc.constantFrom('live', 'test'),
        currency: fc.constantFrom(...CURRENCIES),
        tracks: fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 }),
        isRevoked: fc.boolean(),
      });
      const sales = fc.array(sale, { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(sales, async (sold) => {
          for (const { days, isOther, mode, currency, tracks, isRevoked } of sold) {
            clock.advance(days * 86_400);
            const { clientId } = isOther ? other : me;
            await store.clients.update(clientId, { rateCard: currency }, BY);
            const { number } = await sell(asClient(clientId, mode), tracks);
            const revocation = { reason: 'x', now: clock.now() };
            if (isRevoked) await store.issuedLicenses.revoke(number, revocation, BY);
          }
          const months = monthsOf({ first: '2026-01' }, clock.now());
          const last = monthsOf({}, clock.now());
          for (const range of [
            months,
            last,
            monthsOf({ first: '2026-01', last: last.last }, clock.now()),
          ]) {
            const sheet = await readStatements(harness, range);
            const rows = sheet.tables[0]!.rows;
            let licenses = 0;
            for (const { clientId } of [me, other]) {
              const { bounds } = range;
              const times = { from: bounds[0]!, to: bounds.at(-1)! - 1 };
              const { revenue } = await readStatement(harness, clientId, range);
              const sums = revenue.map((one) => [one.currency, one.amountMinor]);
              expect(Object.fromEntries(sums)).toEqual(await exported(store, clientId, times));
              for (const one of revenue) {
                licenses += one.licenses;
                expect(one.revokedMinor <= one.amountMinor).toBe(true);
              }
            }
            expect(rows.reduce((sum, row) => sum + Number(row.at(-2)), 0)).toBe(licenses);
          }
        }),
        { numRuns: 4 },
      );
    });

    it('leave out what was done with test secrets, and count requests by month and type', async () => {
      const harness = await start();
      const { store, clock } = harness;
      const secret = (mode: 'test' | 'live') => {
        return {
          id: newId(),
          mode,
          hash: (mode === 'test' ? 'a' : 'b').repeat(64),
          createdAt: 1,
          revokedAt: null,
        };
      };
      const [test, live] = [secret('test'), secret('live')];
      const client = someClient({ secrets: [test, live] });
      await store.clients.create(client, BY);
      clock.advance(45 * 86_400);
      const counted = (secretId: string, at: number, outcome: string, requests: number) => {
        return { clientId: client.id, secretId, at, outcome, underMs: 0, requests };
      };
      await store.calls.addDays([
        counted(test.id, JANUARY, 'ok', 1_000),
        counted(test.id, JANUARY, 'not_found', 1_000),
        counted(live.id, JANUARY - DAY_MS, 'ok', 1_000),
        counted(live.id, JANUARY, 'ok', 5),
        counted(live.id, FEBRUARY - DAY_MS, 'not_found', 2),
        counted(live.id, FEBRUARY, 'aborted', 3),
        counted('', FEBRUARY, 'invalid_client', 4),
      ]);
      const both = monthsOf({ first: '2026-01', last: '2026-02' }, clock.now());
      const found = await readStatement(harness, client.id, both);
      expect(found).toMatchObject({
        requests: [
          { month: '2026-01', requests: 7, errors: 2 },
          { month: '2026-02', requests: 7, errors: 7 },
        ],
        errors: [
          { type: 'invalid_client', requests: 4 },
          { type: 'aborted', requests: 3 },
          { type: 'not_found', requests: 2 },
        ],
        months: { isOpen: true, until: clock.now() },
      });
      const sheet = await readStatements(harness, both);
      expect([sheet.tables[0]!.clientIds, sheet.tables[0]!.rows]).toEqual([
        [client.id],
        [[expect.stringContaining(client.name), 14, 9, 0, 0, 0, 0, 0, '']],
      ]);
      const january = await readStatement(
        harness,
        client.id,
        monthsOf({ first: '2026-01' }, clock.now()),
      );
      expect(january).toMatchObject({
        months: { isOpen: false, until: FEBRUARY - 1 },
        ...{ quotes: [], usage: [] },
      });
    });

    it('have the live usage of each month', async () => {
      const harness = await start();
      const { store, clock, me } = harness;
      clock.advance(45 * 86_400);
      const used = (id: string, at: number) => stream(id, 0, { occurredAt: at });
      const events = [used('a', JANUARY), used('b', FEBRUARY - 1), used('c', FEBRUARY)];
      const reported = { clientId: me.clientId, receivedAt: clock.now(), maxAgeDays: 400 };
      await store.usage.report(report(events, { ...reported, mode: 'live' }));
      await store.usage.report(report([used('d', JANUARY)], { ...reported, mode: 'test' }));
      const both = monthsOf({ first: '2026-01', last: '2026-02' }, clock.now());
      expect((await readStatement(harness, me.clientId, both)).usage).toEqual([
        { key: '2026-01', streams: 2, downloads: 0, syncs: 0, seconds: 84 },
        { key: '2026-02', streams: 1, downloads: 0, syncs: 0, seconds: 42 },
      ]);
      const sheet = await readStatements(harness, both);
      expect(sheet.tables[0]!.rows).toEqual([[expect.any(String), 0, 0, 3, 0, 0, 126, 0, '']]);
    });

    it('have the quotes that were open at the end', async () => {
      const harness = await start();
      const { clock, me, quote, buy } = harness;
      const openIn = async (month: string) => {
        const { clientId } = me;
        const { quotes, quoteCount } = await readStatement(
          harness,
          clientId,
          monthsOf({ first: month }, clock.now()),
        );
        expect(quoteCount).toBe(quotes.length);
        return quotes.map(({ id }) => id);
      };
      const expired = await quote(me, [0]);
      await quote(asClient(me.clientId, 'test'), [0]);
      expect(await openIn('2026-01')).toEqual([expired.id]);
      clock.advance(25 * 86_400);
      const bought = await quote(me, [1]);
      clock.advance(1);
      const left = await quote(me, [2]);
      expect(await openIn('2026-01')).toEqual([bought.id, left.id]);
      clock.advance(8 * 86_400);
      await buy(me, bought);
      // At the end of January, it was open.
      expect(await openIn('2026-01')).toEqual([bought.id, left.id]);
      expect(await openIn('2026-02')).toEqual([left.id]);
    });

    it('are empty for a client that has done nothing, and refused for an unknown one', async () => {
      const harness = await start();
      const months = monthsOf({}, harness.clock.now());
      const sheet = statementSheet(await readStatement(harness, harness.me.clientId, months));
      expect(sheet.tables.flatMap(({ rows }) => rows)).toEqual([]);
      expect(sheet.facts).toContainEqual([
        'Until',
        '2026-01-01 00:00:00 UTC, because 2026-01 is not over',
      ]);
      const unknown = readStatement(harness, newId(), months);
      await expect(unknown).rejects.toThrow(/^There is no client .*in these months\.$/);
    });
  });
}
