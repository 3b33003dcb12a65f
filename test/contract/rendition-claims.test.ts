import { describe, expect, it } from 'vitest';
import { MAX_ATTEMPTS, type RenditionClaim } from '../../src/features/renditions/rendition.ts';
import type { Store } from '../../src/features/store.ts';
import { deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import {
  audioKey,
  claim,
  claimAndDie,
  fileOf,
  MINUTE,
  nameOf,
  namesOf,
  statesOf,
  tick,
} from './renditions-support.ts';

for (const adapter of ADAPTERS) {
  describe(`claims of renditions on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('give what one decoding makes to one node', async () => {
      const { store, another } = await open();
      const other = await another();
      const names = [...namesOf(audioKey(1)), ...namesOf(audioKey(1), 7)];
      await store.renditions.add(names);
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, i) => claim(i % 2 ? store : other, `holder ${i}`)),
      );
      const made = claims.flatMap((one) => one?.names ?? []);
      expect(made).toHaveLength(4);
      expect(new Set(made.map((name) => JSON.stringify(name))).size).toBe(4);
      for (const one of claims.filter((one) => one !== undefined)) {
        expect(one.names.filter(({ kind }) => kind === 'preview')).toHaveLength(1);
      }
      expect(await statesOf(store, audioKey(1))).toEqual(Array(4).fill('running'));
      expect(await claim(store)).toBeUndefined();
    });

    it('give each of many jobs to one of several nodes', async () => {
      const { store, another } = await open();
      const other = await another();
      const keys = Array.from({ length: 12 }, (_, n) => audioKey(n));
      await store.renditions.add(keys.flatMap((key) => namesOf(key)));
      const claimed: string[] = [];
      const work = async (on: Store, holder: string) => {
        for (;;) {
          const one = await claim(on, holder);
          if (one === undefined) return;
          claimed.push(one.audioKey);
          await on.renditionClaims.finish(
            one,
            one.names.map((_, n) => fileOf(n)),
          );
        }
      };
      await Promise.all([work(store, 'a'), work(other, 'b'), work(other, 'c')]);
      expect(claimed.sort()).toEqual(keys);
      expect(await store.renditions.counts()).toMatchObject({ queued: 0, running: 0, done: 36 });
    });

    it('take the newest request first, then the oldest job, of formats that the node decodes', async () => {
      const { store, clock } = await open();
      for (const key of [audioKey(1, 'm4a'), ...[2, 3, 4, 5].map((n) => audioKey(n))]) {
        await store.renditions.add(namesOf(key));
        await tick({ clock });
      }
      for (const n of [6, 3, 5, 6, 4]) {
        await store.renditions.request(namesOf(audioKey(n)));
        await tick({ clock });
      }
      const order = [];
      for (let i = 0; i < 6; i++) order.push((await claim(store))?.audioKey);
      expect(order).toEqual([...[4, 6, 5, 3, 2].map((n) => audioKey(n)), undefined]);
      expect((await claim(store, 'b', ['m4a']))!.audioKey).toBe(audioKey(1, 'm4a'));
      expect(await claim(store, 'b', [])).toBeUndefined();
    });

    it('store the files, unless another node has the claim', async () => {
      const harness = await open();
      const { store } = harness;
      await store.renditions.add(namesOf(audioKey(1)));
      const late = await claimAndDie(harness, 'a');
      const present = (await claim(store, 'b'))!;
      expect(await store.renditionClaims.renew(late, MINUTE)).toBe(false);
      await store.renditionClaims.finish(late, [7, 8, 9].map(fileOf));
      await store.renditionClaims.fail(late, 'no', false);
      await store.renditionClaims.release(late);
      expect(await statesOf(store, audioKey(1))).toEqual(Array(3).fill('running'));
      expect(await store.renditionClaims.renew(present, MINUTE)).toBe(true);
      await store.renditionClaims.finish(present, [1, 2, 3].map(fileOf));
      for (const [i, name] of present.names.entries()) {
        expect(await store.renditions.find(name)).toMatchObject({
          state: 'done',
          attempts: 2,
          error: null,
          file: fileOf(i + 1),
        });
      }
      expect(await store.renditions.request(present.names)).toBeUndefined();
      expect(await claim(store)).toBeUndefined();
    });

    it('are renewed', async () => {
      const { store, clock } = await open();
      await store.renditions.add(namesOf(audioKey(1)));
      const mine = (await store.renditionClaims.claim('a', ['mp3'], 1))!;
      expect(await store.renditionClaims.renew(mine, MINUTE)).toBe(true);
      clock.advance(1);
      expect(await claim(store, 'b')).toBeUndefined();
    });

    it('fail what does not survive its attempts, with a reason', async () => {
      const harness = await open();
      const { store } = harness;
      await store.renditions.add(namesOf(audioKey(1)));
      for (let i = 0; i < MAX_ATTEMPTS; i++) await claimAndDie(harness, `node ${i}`);
      expect(await claim(store)).toBeUndefined();
      expect(await store.renditions.find(nameOf(audioKey(1), 'waveform'))).toMatchObject({
        state: 'failed',
        attempts: MAX_ATTEMPTS,
        error: 'making it was interrupted: the node ended, or did not answer',
      });
    });

    it('fail at once, or after as many attempts', async () => {
      const { store } = await open();
      await importAll(
        store,
        [1, 2].map((n) => delivery(n, { audioKey: audioKey(n) })),
      );
      await store.renditions.add(namesOf(audioKey(1)));
      await store.renditionClaims.fail((await claim(store))!, 'it is damaged', false);
      expect(await statesOf(store, audioKey(1))).toEqual(Array(3).fill('failed'));
      await store.renditions.request(namesOf(audioKey(1)));
      expect(await claim(store)).toBeUndefined();
      await store.renditions.add(namesOf(audioKey(2)));
      for (let i = 1; i < MAX_ATTEMPTS; i++) {
        await store.renditionClaims.fail((await claim(store))!, 'it took too long', true);
        expect(await statesOf(store, audioKey(2))).toEqual(Array(3).fill('queued'));
      }
      await store.renditionClaims.fail((await claim(store))!, 'it took too long', true);
      expect(await store.renditions.find(nameOf(audioKey(2), 'preview'))).toMatchObject({
        state: 'failed',
        error: 'it took too long',
      });
      expect(await store.renditions.requeueFailed()).toBe(6);
      expect(await store.renditions.requeueFailed()).toBe(0);
      expect(await store.renditions.find(nameOf(audioKey(2), 'preview'))).toMatchObject({
        state: 'queued',
        attempts: 0,
        error: null,
      });
    });

    it('are released without an attempt, for a node that decodes the file', async () => {
      const { store } = await open();
      await store.renditions.add(namesOf(audioKey(1)));
      await store.renditionClaims.release((await claim(store))!);
      await store.renditionClaims.release((await claim(store))!, 'ffmpeg');
      expect(await store.renditions.find(nameOf(audioKey(1), 'preview'))).toMatchObject({
        state: 'queued',
        format: 'ffmpeg',
        attempts: 0,
      });
      expect(await claim(store)).toBeUndefined();
      expect((await claim(store, 'b', ['ffmpeg']))!.names).toHaveLength(3);
    });

    it('are made by nodes that are seen', async () => {
      const { store, another } = await open();
      const other = await another();
      const a = { node: 'a', formats: ['mp3'] };
      const b = { node: 'b', formats: ['mp3', 'ffmpeg'] };
      await store.renditionClaims.see({ ...a, formats: [] });
      await other.renditionClaims.see(b);
      await store.renditionClaims.see(a);
      expect(await store.renditions.nodes()).toEqual([a, b]);
      await store.renditionClaims.leave('b');
      expect(await other.renditions.nodes()).toEqual([a]);
    });

    it('say whether they ended in a file or for good', async () => {
      const { store } = await open();
      await store.renditions.add(namesOf(audioKey(1)));
      const finish = (one: RenditionClaim) =>
        store.renditionClaims.finish(one, [1, 2, 3].map(fileOf));
      const fail = (one: RenditionClaim, mayRepeat: boolean) =>
        store.renditionClaims.fail(one, 'no', mayRepeat);
      const first = (await claim(store))!;
      expect(await fail(first, true)).toBe(false);
      expect(await finish(first)).toBe(false);
      const second = (await claim(store))!;
      expect(await finish(second)).toBe(true);
      expect(await fail(second, false)).toBe(false);
      expect(await store.renditions.remake(first.names.slice(0, 1))).toBe(1);
      expect(await store.renditions.remake(first.names.slice(0, 1))).toBe(0);
      expect(await fail((await claim(store))!, false)).toBe(true);
    });

    it('are postponed behind all others, also those that nobody requested', async () => {
      const { store, clock } = await open();
      await store.renditions.request(namesOf(audioKey(1)));
      await store.renditions.add(namesOf(audioKey(2)));
      clock.advance(1);
      const first = (await claim(store))!;
      await store.renditionClaims.postpone(first, 'the bucket is away', 0);
      expect(await store.renditions.find(first.names[0]!)).toMatchObject({
        state: 'queued',
        attempts: 0,
        error: 'the bucket is away',
      });
      expect((await claim(store))!.audioKey).toBe(audioKey(2));
      expect((await claim(store))!.audioKey).toBe(audioKey(1));
    });

    it('are not given again before the end of their pause, unless they are requested', async () => {
      const { store } = await open();
      for (const n of [1, 2]) await store.renditions.add(namesOf(audioKey(n)));
      for (const _ of [1, 2]) {
        const one = (await claim(store))!;
        expect(one.postponements).toBe(0);
        await store.renditionClaims.postpone(one, 'it cannot be read', MINUTE);
      }
      expect(await claim(store)).toBeUndefined();
      // Others go on.
      await store.renditions.add(namesOf(audioKey(3)));
      expect((await claim(store))!.audioKey).toBe(audioKey(3));
      expect(await claim(store)).toBeUndefined();
      await store.renditions.endPauses();
      for (const _ of [1, 2]) {
        await store.renditionClaims.postpone((await claim(store))!, 'it cannot be read', MINUTE);
      }
      await store.renditions.request(namesOf(audioKey(2)));
      const requested = (await claim(store))!;
      expect(requested).toMatchObject({ audioKey: audioKey(2), postponements: 2 });
      await store.renditionClaims.postpone(requested, 'it cannot be read', 0);
      const again = (await claim(store))!;
      expect(again).toMatchObject({ audioKey: audioKey(2), postponements: 3 });
      await store.renditionClaims.finish(again, [1, 2, 3].map(fileOf));
      await store.renditions.remake(again.names);
      expect((await claim(store))!.postponements).toBe(0);
    });

    it('log nothing', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 1));
      const head = await store.changes.head();
      await store.renditions.request(namesOf(audioKey(1)));
      await store.renditionClaims.finish((await claim(store))!, [1, 2, 3].map(fileOf));
      expect(await store.changes.head()).toBe(head);
    });
  });
}
