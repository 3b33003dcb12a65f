import { describe, expect, it } from 'vitest';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import { RenditionStore } from '../../src/features/renditions/store/rendition-store.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { type Harness, harnessOf, trackId } from '../harness/stores.ts';
import { audioKey, MINUTE } from './renditions-support.ts';
import { analyze, found, jobOf } from './sounds-support.ts';

const ID = trackId(1);
const KEY = audioKey(1);
const UNKNOWN = { bpm: '', songKey: [], audioKey: KEY };
const by = 'system:analysis';

const track = (n: number, change: Partial<TrackDelivery> = {}) =>
  delivery(n, { ...UNKNOWN, ...change });

for (const adapter of ADAPTERS) {
  describe(`the analysis of audio on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    async function imported(...tracks: TrackDelivery[]): Promise<Harness> {
      const harness = await open();
      await importAll(harness.store, tracks, 'first');
      return harness;
    }
    const shown = async ({ store }: Pick<Harness, 'store'>, id = ID) => {
      const { bpm, songKey, detected } = (await store.catalog.trackRecord(id))!.track;
      return { bpm, songKey, detected };
    };
    const FILLED = { bpm: '120', songKey: ['A minor'], detected: ['bpm', 'songKey'] };

    it('fills all tracks with the audio, as logged updates', async () => {
      const harness = await imported(track(1), track(2), track(3, { audioKey: audioKey(3) }));
      const { store, clock } = harness;
      const before = await store.changes.head();
      clock.advance(5);
      expect(await analyze(store, KEY)).toBe(true);
      expect(await shown(harness)).toEqual({ bpm: '', songKey: [], detected: [] });
      await store.sounds.publish();
      expect(await shown(harness)).toEqual(FILLED);
      expect(await shown(harness, trackId(2))).toEqual(FILLED);
      expect(await shown(harness, trackId(3))).toMatchObject({ bpm: '', detected: [] });
      expect((await store.catalog.trackRecord(ID))!.updatedAt).toBe(clock.now());
      const changed = ['bpm', 'songKey', 'detected'];
      expect(await store.changes.since(before, ['track', 'sound'], 9)).toMatchObject([
        { entity: 'track', kind: 'updated', entityId: ID, by, batchId: null, changed },
        { entity: 'track', kind: 'updated', entityId: trackId(2), changed },
        { entity: 'sound', kind: 'analyzed', entityId: ID, by },
        { entity: 'sound', kind: 'analyzed', entityId: trackId(2) },
      ]);
      await store.sounds.publish();
      expect(await store.changes.head()).toBe(before + 4);
    });

    it('shows fills to the index and to documents', async () => {
      const { store } = await imported(track(1));
      await analyze(store, KEY);
      await store.sounds.publish();
      expect(await store.catalog.indexEntries([ID])).toMatchObject([
        { bpm: 120, songKeys: ['A minor'] },
      ]);
      const document = (await store.catalog.document(ID))!;
      expect(JSON.parse(`${document.json}}`)).toMatchObject(FILLED);
    });

    it('replaces nothing that was delivered, and does not fill effects or what it is not sure of', async () => {
      const harness = await imported(
        track(1, { bpm: '91', songKey: ['B minor'] }),
        track(2, { type: 'sfx' }),
        track(3, { audioKey: audioKey(3) }),
      );
      const { store } = harness;
      await analyze(store, KEY);
      const unsure = { tempo: { bpm: 80, confidence: 0.1 }, key: { name: 'C', confidence: 0.1 } };
      await analyze(store, audioKey(3), found(unsure));
      await store.sounds.publish();
      expect(await shown(harness)).toEqual({ bpm: '91', songKey: ['B minor'], detected: [] });
      expect(await shown(harness, trackId(2))).toEqual({ bpm: '', songKey: [], detected: [] });
      expect(await shown(harness, trackId(3))).toEqual({ bpm: '', songKey: [], detected: [] });
    });

    it('keeps fills when the same is delivered, or something else without the value', async () => {
      const harness = await imported(track(1));
      const { store } = harness;
      await analyze(store, KEY);
      await store.sounds.publish();
      const before = await store.changes.head();
      const session = await store.catalog.openDelivery(BY, 'again');
      expect(await session.preview([track(1)])).toEqual(['unchanged']);
      expect(await session.deliver([track(1)])).toEqual(['unchanged']);
      expect(await store.changes.head()).toBe(before);
      expect(await session.deliver([track(1)])).toEqual(['unchanged']);
      await session.close();
      await importAll(store, [track(1, { name: 'Other' })], 'second');
      expect(await shown(harness)).toEqual(FILLED);
      expect((await store.changes.latest(1))[0]).toMatchObject({ changed: ['name'] });
    });

    it('lets a delivered value replace a fill, also the same one, and fills again when it is gone', async () => {
      const harness = await imported(track(1));
      const { store } = harness;
      await analyze(store, KEY);
      await store.sounds.publish();
      await importAll(store, [track(1, { bpm: '120' })], 'second');
      expect(await shown(harness)).toEqual({ ...FILLED, detected: ['songKey'] });
      expect((await store.changes.latest(1))[0]).toMatchObject({ changed: ['detected'] });
      await importAll(store, [track(1, { bpm: '60', songKey: ['D major'] })], 'third');
      expect(await shown(harness)).toEqual({ bpm: '60', songKey: ['D major'], detected: [] });
      await importAll(store, [track(1)], 'fourth');
      await store.sounds.fill([KEY]);
      expect(await shown(harness)).toEqual(FILLED);
      const head = await store.changes.head();
      await store.sounds.fill([KEY]);
      expect(await store.changes.head()).toBe(head);
    });

    it('survives the undo of an import and edits, which treat fills as not delivered', async () => {
      const harness = await imported(track(1));
      const { store } = harness;
      await analyze(store, KEY);
      await store.sounds.publish();
      await importAll(store, [track(1, { bpm: '60' })], 'second');
      await store.batches.undo('second', { by: BY });
      expect(await shown(harness)).toMatchObject({ bpm: '', songKey: ['A minor'] });
      await store.sounds.fill([KEY]);
      expect(await shown(harness)).toEqual(FILLED);
      const session = await store.catalog.openDelivery(BY, 'again');
      expect(await session.deliver([track(1)])).toEqual(['unchanged']);
      await session.close();
      const edit = await store.trackEdits.edit(ID, { revert: [], set: { bpm: '77' } }, BY);
      expect(edit).toMatchObject({
        delivered: { bpm: '' },
        effective: { bpm: '77', songKey: ['A minor'] },
      });
      expect(await shown(harness)).toEqual({ ...FILLED, bpm: '77', detected: ['songKey'] });
      await store.trackEdits.edit(ID, { revert: ['bpm'], set: {} }, BY);
      await store.sounds.fill([KEY]);
      expect(await shown(harness)).toEqual(FILLED);
    });

    it('logs only what another result changes', async () => {
      const harness = await imported(track(1), track(2, { songKey: ['B minor'] }));
      const { store } = harness;
      await analyze(store, KEY);
      await store.sounds.publish();
      const before = await store.changes.head();
      const { tempo: _, ...other } = found({ key: { name: 'C major', confidence: 0.8 } });
      // As for a later version of the analysis.
      await RenditionStore.prototype.add.call(store.soundJobs, jobOf(KEY));
      await analyze(store, KEY, other);
      await store.sounds.publish();
      expect(await shown(harness)).toEqual({
        bpm: '',
        songKey: ['C major'],
        detected: ['songKey'],
      });
      expect(await store.changes.since(before, ['track'], 9)).toMatchObject([
        { entityId: ID, changed: ['bpm', 'songKey', 'detected'] },
        { entityId: trackId(2), changed: ['bpm', 'detected'] },
      ]);
    });

    it('is done once for each audio, and ended by its holder alone', async () => {
      const { store } = await imported(track(1));
      expect(await store.soundJobs.add(jobOf(KEY))).toBe(1);
      expect(await store.soundJobs.add(jobOf(KEY))).toBe(0);
      expect(await store.soundClaims.claim('a', ['flac'], MINUTE)).toBeUndefined();
      const claim = (await store.soundClaims.claim('a', ['mp3'], MINUTE))!;
      expect(await store.soundJobs.unmade()).toEqual({ queued: 0, running: 1, failed: 0 });
      expect(await store.sounds.finish({ ...claim, holder: 'b' }, found())).toBe(false);
      expect(await store.sounds.finish(claim, found())).toBe(true);
      expect(await store.sounds.finish(claim, found())).toBe(false);
      expect(await store.soundJobs.add(jobOf(KEY))).toBe(0);
      expect(await store.soundJobs.unmade()).toEqual({ queued: 0, running: 0, failed: 0 });
      expect(await store.sounds.count()).toBe(1);
      expect(await store.renditions.counts()).toEqual({
        queued: 0,
        running: 0,
        done: 0,
        failed: 0,
      });
    });

    it('records a file that fails, and repeats it only if the operator asks for it', async () => {
      const { store } = await imported(track(1));
      await store.soundJobs.add(jobOf(KEY));
      const claim = (await store.soundClaims.claim('a', ['mp3'], MINUTE))!;
      expect(await store.soundClaims.fail(claim, 'the audio is silent', false)).toBe(true);
      expect(await store.sounds.job(KEY)).toEqual({
        state: 'failed',
        error: 'the audio is silent',
      });
      expect(await store.soundJobs.add(jobOf(KEY))).toBe(0);
      expect(await store.soundClaims.claim('a', ['mp3'], MINUTE)).toBeUndefined();
      expect(await store.soundJobs.requeueFailed()).toBe(1);
      expect(await store.soundClaims.claim('a', ['mp3'], MINUTE)).toMatchObject({ audioKey: KEY });
    });

    it('is forgotten when nothing names the audio', async () => {
      const { store } = await imported(track(1));
      await analyze(store, KEY);
      await analyze(store, audioKey(9));
      expect(await store.sounds.dropUnnamed()).toBe(1);
      expect(await store.sounds.find(KEY)).toMatchObject({ loudness: -16, version: 1 });
      expect(await store.sounds.find(audioKey(9))).toBeUndefined();
    });
  });
}
