import { describe, expect, it } from 'vitest';
import { NODE_SEEN_MS } from '../../src/engines/tasks/nodes.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

for (const adapter of ADAPTERS) {
  describe(`nodes on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const node = (name: string) => ({
      node: name,
      ...{ host: 'h', pid: 1, version: '1.0.0', dataFolder: '/srv' },
    });

    it('are seen with the difference of their clocks, until they are gone', async () => {
      const { store, another } = await open();
      const other = await another();
      await store.nodes.seen(node('a'), (await store.nodes.now()) - 5_000);
      await other.nodes.seen({ ...node('b'), pid: 2 }, (await other.nodes.now()) + 60_000);
      const [a, b] = await other.nodes.running();
      expect([a, b]).toMatchObject([node('a'), { ...node('b'), pid: 2 }]);
      expect(Math.abs(a!.aheadMs + 5_000)).toBeLessThan(4_000);
      expect(Math.abs(b!.aheadMs - 60_000)).toBeLessThan(4_000);
      await store.nodes.seen(node('a'), await store.nodes.now());
      expect(Math.abs((await store.nodes.running())[0]!.aheadMs)).toBeLessThan(4_000);
      await other.nodes.gone('a');
      expect(await store.nodes.running()).toMatchObject([{ node: 'b' }]);
    });

    it.skipIf(adapter.isServer)(
      'that are silent are not shown (a server has its own clock)',
      async () => {
        const { store, clock } = await open();
        await store.nodes.seen(node('a'), clock.now());
        clock.advance((NODE_SEEN_MS + 1) / 1_000);
        expect(await store.nodes.running()).toEqual([]);
      },
    );
  });
}
