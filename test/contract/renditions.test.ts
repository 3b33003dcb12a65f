import { describe, expect, it } from 'vitest';
import {
  clipVariant,
  MAX_ATTEMPTS,
  type RenditionKind,
  type RenditionName,
  type RenditionState,
  renditionsOf,
} from '../../src/media/renditions/rendition-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { type Harness, harnessOf, trackId } from '../harness/stores.ts';

const MINUTE = 60_000;

const audioKey = (n: number, extension = 'mp3') => `${String(n).padStart(64, '0')}.${extension}`;
/** What is made of an audio file. */
const namesOf = (key: string, previewStart: number | null = null) =>
  renditionsOf({ audioKey: key, previewStart, previewKey: null, waveformKey: null });
const nameOf = (key: string, kind: RenditionKind, variant = ''): RenditionName => {
  return { audioKey: key, kind, variant };
};
const fileOf = (n: number) => ({ mediaKey: audioKey(1_000 + n, 'dat'), sizeBytes: n });

/** The states of the renditions of an audio file. */
async function statesOf(store: Store, key: string): Promise<RenditionState[]> {
  return (await store.renditions.ofAudio(key)).map(({ state }) => state);
}

/** Claims for a minute. */
const claim = (store: Store, holder = 'a', formats = ['mp3', 'flac']) =>
  store.renditionClaims.claim(holder, formats, MINUTE);

/** Claims what expires at once, and waits until it has expired. */
async function claimAndDie({ store, clock }: Harness, holder: string) {
  const claimed = (await store.renditionClaims.claim(holder, ['mp3'], 1))!;
  // A server uses its own clock, which the test cannot advance.
  clock.advance(1);
  await new Promise((resolve) => setTimeout(resolve, 2));
  return claimed;
}

for (const adapter of ADAPTERS) {
  describe(`renditions on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are named by the audio, and by the second at which a clip begins', () => {
      const sound = { audioKey: 'a', previewStart: 7, previewKey: null, waveformKey: null };
      expect(renditionsOf(sound)).toEqual([
        nameOf('a', 'preview', '7'),
        nameOf('a', 'waveform'),
        nameOf('a', 'waveform-dat'),
      ]);
      expect(renditionsOf({ ...sound, previewStart: 0, waveformKey: 'w' })).toEqual([
        nameOf('a', 'preview', '0'),
      ]);
      expect(renditionsOf({ ...sound, previewKey: 'p', waveformKey: 'w' })).toEqual([]);
      expect(renditionsOf({ ...sound, audioKey: null })).toEqual([]);
      expect(clipVariant(null)).toBe('');
    });

    it('are added once, whatever their number and repetitions', async () => {
      const { store } = await open();
      expect(await store.renditions.add([])).toBe(0);
      const names = namesOf(audioKey(1));
      expect(await store.renditions.add([...names, ...names])).toBe(3);
      expect(await store.renditions.add(names)).toBe(0);
      expect(await store.renditions.find(names[0]!)).toEqual({
        ...names[0],
        state: 'queued',
        format: 'mp3',
        attempts: 0,
        error: null,
        file: null,
      });
      expect(await store.renditions.find(nameOf(audioKey(1), 'preview', '7'))).toBeUndefined();
      const many = Array.from({ length: 340 }, (_, n) => namesOf(audioKey(n + 10))).flat();
      expect(await store.renditions.add(many)).toBe(1_020);
      expect(await store.renditions.counts()).toEqual({
        queued: 1_023,
        running: 0,
        done: 0,
        failed: 0,
      });
    });

    it('are those of live tracks with audio', async () => {
      const { store } = await open();
      await importAll(store, [
        delivery(0, { audioKey: audioKey(1) }),
        delivery(1),
        delivery(2, { audioKey: audioKey(2) }),
        delivery(3, { audioKey: audioKey(3) }),
      ]);
      await store.catalog.setState(trackId(3), 'taken_down', BY);
      const sound = { previewStart: null, previewKey: null, waveformKey: null };
      const ids = [0, 1, 2, 3, 99].map(trackId);
      const all = [audioKey(1), audioKey(2)].map((key) => ({ ...sound, audioKey: key }));
      expect(await store.renditions.soundsOf(ids)).toEqual(expect.arrayContaining(all));
      expect(await store.renditions.soundsOf(ids)).toHaveLength(2);
      const first = await store.renditions.soundsAfter(0, 2);
      expect(first!.sounds).toEqual([all[0]]);
      const second = await store.renditions.soundsAfter(first!.lastRowId, 9);
      expect(second!.sounds).toEqual([all[1]]);
      expect(await store.renditions.soundsAfter(second!.lastRowId, 9)).toBeUndefined();
    });

    it('keep their media', async () => {
      const { store } = await open();
      await store.renditions.add([...namesOf(audioKey(1)), ...namesOf(audioKey(2))]);
      const claimed = (await claim(store))!;
      await store.renditionClaims.finish(claimed, [1, 2, 3].map(fileOf));
      const keys: string[] = [];
      for await (const slice of store.catalog.mediaKeys()) keys.push(...slice);
      expect(keys.sort()).toEqual([1, 2, 3].map((n) => fileOf(n).mediaKey));
    });
  });

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

    it('take requested renditions first, then the oldest, of formats that the node decodes', async () => {
      const { store, clock } = await open();
      for (const key of [audioKey(1, 'm4a'), audioKey(2), audioKey(3)]) {
        await store.renditions.add(namesOf(key));
        clock.advance(1);
      }
      await store.renditions.request(namesOf(audioKey(4)));
      await store.renditions.request(namesOf(audioKey(3)));
      const order = [];
      for (let i = 0; i < 4; i++) order.push((await claim(store))?.audioKey);
      // The order of 3 and 4 is that of their jobs.
      expect(order).toEqual([audioKey(3), audioKey(4), audioKey(2), undefined]);
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
