import { describe, expect, it } from 'vitest';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { named } from './batches-support.ts';

const TRACKS = 20_000;

/** Returns the processor time that work takes in this process, in milliseconds. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

for (const adapter of ADAPTERS) {
  describe(`undo on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('takes no more than twice the processor time of what it undoes', async () => {
      const { store } = await open();
      const tracks = deliveries(0, TRACKS);
      const changed = tracks.map(named('two'));
      const costs = {
        creating: await costOf(() => importAll(store, tracks, 'first')),
        changing: await costOf(() => importAll(store, changed, 'second')),
        changingBack: await costOf(() => store.batches.undo('second', { by: BY })),
        withdrawing: await costOf(() => store.batches.undo('first', { by: BY })),
      };
      const [second, first] = await store.batches.latest(2);
      expect([first, second]).toMatchObject([{ updated: TRACKS }, { withdrawn: TRACKS }]);
      expect(costs.changingBack, JSON.stringify(costs)).toBeLessThan(2 * costs.changing);
      expect(costs.withdrawing, JSON.stringify(costs)).toBeLessThan(2 * costs.creating);
    }, 120_000);
  });
}
