import { describe, expect, it } from 'vitest';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { asClient } from './collections-support.ts';
import { withSales } from './licensing-support.ts';

const LICENSES = 1_000;
const AT_ONCE = 20;

for (const adapter of ADAPTERS) {
  describe(`numbers of licenses on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('have no gaps, though every tenth transaction is rolled back', async () => {
      const { store, another, clock, me, quote, certify } = await withSales(await open());
      const nodes = [store, await another()];
      const now = clock.now();
      let refused = 0;
      const issueOne = async (n: number) => {
        const { id: quoteId, terms } = await quote(me, [n % 5]);
        const { termsVersion } = terms;
        const licensee = { name: `Licensee ${n}`, country: 'DE' };
        const issue = (isRefused: boolean) =>
          nodes[n % 2]!.issuedLicenses.issue(
            { quoteId, termsVersion, licensee },
            { statedNow: now, certify },
            {
              ...me,
              // What is to be stored with the license fails, after the number was drawn.
              finish: async () => {
                if (isRefused) throw new Error('refused');
              },
            },
          );
        if (n % 10 === 0) {
          await expect(issue(true)).rejects.toThrow('refused');
          refused++;
        }
        return (await issue(false)).license.number;
      };
      const numbers: string[] = [];
      for (let from = 0; from < LICENSES; from += AT_ONCE) {
        const some = Array.from({ length: AT_ONCE }, (_, i) => issueOne(from + i));
        numbers.push(...(await Promise.all(some)));
      }
      expect(refused).toBe(LICENSES / 10);
      const counted = numbers.map((number) => Number(number.split('-')[1])).sort((a, b) => a - b);
      expect(counted).toEqual(Array.from({ length: LICENSES }, (_, i) => i + 1));
      expect(numbers.every((number) => /^2026-\d{6}-[0-9A-Z]{8}$/.test(number))).toBe(true);
    }, 240_000);

    it('begin anew in each mode and year', async () => {
      const { clock, me, sell } = await withSales(await open());
      const test = asClient(me.clientId, 'test');
      const starts = async () =>
        Promise.all([me, test, me].map(async (by, i) => (await sell(by, [i])).number.slice(0, -8)));
      expect((await starts()).sort()).toEqual([
        '2026-000001-',
        '2026-000002-',
        'TEST-2026-000001-',
      ]);
      clock.advance(365 * 86_400);
      expect((await starts()).sort()).toEqual([
        '2027-000001-',
        '2027-000002-',
        'TEST-2027-000001-',
      ]);
    });
  });
}
