import { describe, expect, it } from 'vitest';
import {
  KEPT_MS,
  type MediaRequestCount,
  MediaRequestCounter,
  monthOf,
} from '../../src/features/media/media-requests.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

const DAY_MS = 24 * 60 * 60_000;
const DAY_S = DAY_MS / 1000;
const ALL = { from: 0, to: Date.UTC(2100, 0) };
const unexpected = (error: unknown) => {
  throw error;
};

for (const adapter of ADAPTERS) {
  describe(`counts of requests for media on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const heard = { trackId: 'track', clientId: 'a', mode: 'live', kind: 'stream' } as const;

    it('are the sums of all nodes and months, with the first and the last time', async () => {
      const { store, another, clock } = await open();
      const nodes = [store, await another()].map(
        ({ mediaRequests }) =>
          new MediaRequestCounter({ clock, store: mediaRequests, onError: unexpected }),
      );
      const start = clock.now();
      for (let round = 0; round < 3; round++) {
        for (const node of nodes) {
          node.count(heard);
          node.count({ ...heard, kind: 'preview' });
          node.count({ ...heard, mode: 'test' });
          node.count({ ...heard, clientId: 'b' });
          node.count({ ...heard, trackId: 'another track' });
        }
        if (round === 1) await Promise.all(nodes.map((node) => node.write()));
        clock.advance(20 * DAY_S);
      }
      nodes[0]!.count({ ...heard, clientId: 'b' });
      await Promise.all(nodes.map((node) => node.write()));
      const at = (days: number) => start + days * DAY_MS;
      const six = { requests: 6, firstAt: start, lastAt: at(40) };
      const used = await store.mediaRequests.ofTrack('track', ALL);
      expect(used[0]).toEqual({
        ...{ clientId: 'b', mode: 'live', kind: 'stream' },
        ...{ requests: 7, firstAt: start, lastAt: at(60) },
      });
      expect(used).toHaveLength(4);
      expect(used).toEqual(
        expect.arrayContaining([
          { clientId: 'a', mode: 'live', kind: 'stream', ...six },
          { clientId: 'a', mode: 'live', kind: 'preview', ...six },
          { clientId: 'a', mode: 'test', kind: 'stream', ...six },
        ]),
      );
      expect(await store.mediaRequests.ofTrack('no such track', ALL)).toEqual([]);
    });

    it('are read by the months that contain the days', async () => {
      const { store } = await open();
      const months = [0, 1, 2].map((month): MediaRequestCount => {
        const at = Date.UTC(2026, month);
        return { ...heard, at, requests: 10 ** month, firstAt: at + 5, lastAt: at + 6 };
      });
      await store.mediaRequests.add(months);
      const requests = async (from: number, to: number) =>
        (await store.mediaRequests.ofTrack('track', { from, to }))[0]?.requests;
      expect(await requests(Date.UTC(2026, 0, 31), Date.UTC(2026, 0, 31))).toBe(1);
      expect(await requests(Date.UTC(2026, 0, 31), Date.UTC(2026, 1, 1))).toBe(11);
      expect(await requests(Date.UTC(2026, 1, 28), Date.UTC(2026, 2, 1) - 1)).toBe(10);
      expect(await requests(Date.UTC(2026, 3, 1), Date.UTC(2027, 0, 1))).toBeUndefined();
    });

    it('are deleted after three years', async () => {
      const { store, clock } = await open();
      // A server uses its own clock.
      const now = Math.min(clock.now(), Date.now());
      const counts = Array.from({ length: 700 }, (_, i): MediaRequestCount => {
        const at = monthOf(i < 690 ? now - KEPT_MS - DAY_MS : now);
        return { ...heard, clientId: `${i}`, at, requests: 1, firstAt: at, lastAt: at };
      });
      await store.mediaRequests.add(counts);
      await store.mediaRequests.expire();
      expect(await store.mediaRequests.ofTrack('track', ALL)).toHaveLength(10);
    });
  });
}
