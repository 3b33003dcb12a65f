import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/features/store.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';

const ID = trackId(1);

for (const adapter of ADAPTERS) {
  describe(`known and unknown vocals on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const shown = async (store: Store) => {
      const { track } = (await store.catalog.trackRecord(ID))!;
      return [track.hasVocals, track.vocals];
    };
    const lastChanged = async (store: Store) => (await store.changes.latest(1))[0]!.changed;

    it('are those of the last delivery', async () => {
      const { store } = await open();
      for (const [members, expected] of [
        [{ hasVocals: true }, [true, 'vocal']],
        [{ hasVocals: false, isInstrumental: true }, [false, 'instrumental']],
        [{ hasVocals: false }, [false, 'unknown']],
        [{ hasVocals: false, isInstrumental: true }, [false, 'instrumental']],
        [{ hasVocals: true }, [true, 'vocal']],
        [{ hasVocals: false }, [false, 'unknown']],
      ] as const) {
        await importAll(store, [delivery(1, members)], JSON.stringify([members, expected]));
        expect(await shown(store)).toEqual(expected);
        const [entry] = await store.catalog.indexEntries([ID]);
        expect(entry).toMatchObject({
          hasVocals: members.hasVocals,
          isInstrumental: expected[1] === 'instrumental',
          hasAudio: false,
        });
      }
    });

    it('are settled once by a delivery that says what an earlier version did not keep', async () => {
      const { store } = await open();
      // What is stored after the migration, with the fingerprint of a record that says false or nothing.
      await importAll(store, [delivery(1), delivery(2), delivery(3)], 'before');
      const again = [delivery(1, { isInstrumental: true }), delivery(2), delivery(3)];
      expect(await importAll(store, again, 'settling')).toEqual([
        'updated',
        'unchanged',
        'unchanged',
      ]);
      expect(await lastChanged(store)).toEqual(['vocals']);
      const head = await store.changes.head();
      expect(await importAll(store, again, 'again')).toEqual(Array(3).fill('unchanged'));
      expect(await store.changes.head()).toBe(head);

      await store.batches.undo('settling', { by: BY });
      expect(await shown(store)).toEqual([false, 'unknown']);
      expect(await lastChanged(store)).toEqual(['vocals']);
      expect(await importAll(store, again, 'once more')).toEqual([
        'updated',
        'unchanged',
        'unchanged',
      ]);
    });

    it('can be edited, also to say that there are none', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1)], 'first');
      await store.trackEdits.edit(ID, { revert: [], set: { hasVocals: 0 } }, BY);
      expect(await shown(store)).toEqual([false, 'instrumental']);
      expect(await lastChanged(store)).toEqual(['vocals']);
      await importAll(store, [delivery(1, { hasVocals: true, bpm: '99' })], 'second');
      expect(await shown(store)).toEqual([false, 'instrumental']);
      await store.trackEdits.edit(ID, { revert: [], set: { hasVocals: false } }, BY);
      expect(await shown(store)).toEqual([false, 'unknown']);
      const { edits } = (await store.trackEdits.find(ID))!;
      expect(edits.hasVocals).toMatchObject({ value: false, delivered: true });
      await store.trackEdits.edit(ID, { revert: ['hasVocals'], set: {} }, BY);
      expect(await shown(store)).toEqual([true, 'vocal']);
      await importAll(store, [delivery(1, { isInstrumental: true })], 'third');
      await store.trackEdits.edit(ID, { revert: [], set: { hasVocals: 0 } }, BY);
      expect((await store.trackEdits.find(ID))!.edits).toEqual({});
    });
  });

  describe(`the properties of audio on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const AUDIO = `${'a'.repeat(64)}.wav`;
    const properties = {
      sampleRate: 44_100,
      channels: 2,
      bitDepth: 16,
      bitrate: 1_411_200,
      bytes: 9,
    };
    const wav = { format: 'wav', contentType: 'audio/wav' };
    const unknown = {
      sampleRate: null,
      channels: null,
      bitDepth: null,
      bitrate: null,
      bytes: null,
    };
    const probed = { ...properties, samples: 88_200, isPlayable: true };
    const audioOf = async (store: Store) => (await store.catalog.trackRecord(ID))!.track.audio;

    it('have with their MP3 the size of the artwork, which stays with it', async () => {
      const { store } = await open();
      const changed = async () => (await store.changes.latest(1))[0]!.changed;
      const [cover, other] = ['a', 'b'].map((digit) => `${digit.repeat(64)}.png`);
      const given = { audioKey: AUDIO, audioProperties: { ...probed, isPlayable: false } };
      const coverOf = async () => (await store.catalog.trackAudio(ID))!.coverBytes;
      await importAll(store, [delivery(1, { ...given, artworkKey: cover!, coverBytes: 7 })], 'one');
      expect(await coverOf()).toBe(7);
      await importAll(store, [delivery(1, { bpm: '2' })], 'two');
      expect(await coverOf()).toBe(7);
      await importAll(store, [delivery(1, { bpm: '2', name: 'Other' })], 'three');
      expect(await changed()).toEqual(['name', 'stream']);
      await importAll(
        store,
        [delivery(1, { bpm: '2', name: 'Other', artworkKey: other! })],
        'four',
      );
      expect(await coverOf()).toBeNull();
      expect(await store.audioProperties.unmeasured('', 10)).toEqual([other]);
      expect(await changed()).toEqual(['artwork', 'stream']);
      await store.audioProperties.recordCovers(new Map([[other!, 9]]));
      expect([await coverOf(), await store.audioProperties.unmeasured('', 10)]).toEqual([9, []]);
      expect(await changed()).toEqual(['stream']);
    });

    it('are those of the delivered file, and stay with it', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1)], 'first');
      expect(await audioOf(store)).toBeNull();
      const given = { audioKey: AUDIO, audioProperties: probed };
      await importAll(store, [delivery(1, given)], 'second');
      expect(await audioOf(store)).toEqual({ ...wav, ...properties });
      const encodingOf = async () => {
        const { samples, isPlayable } = (await store.catalog.trackAudio(ID))!;
        return [samples, isPlayable && Boolean(isPlayable)];
      };
      expect(await encodingOf()).toEqual([88_200, true]);
      // The same audio by its key, and a delivery without audio.
      await importAll(store, [delivery(1, { audioKey: AUDIO, bpm: '1' })], 'third');
      await importAll(store, [delivery(1, { bpm: '2' })], 'fourth');
      await store.trackEdits.edit(ID, { revert: [], set: { bpm: '3' } }, BY);
      expect(await audioOf(store)).toEqual({ ...wav, ...properties });
      expect(await encodingOf()).toEqual([88_200, true]);
      const [entry] = await store.catalog.indexEntries([ID]);
      expect(entry).toMatchObject({ hasAudio: true });
      await importAll(store, [delivery(1, { audioKey: `${'b'.repeat(64)}.mp3` })], 'fifth');
      expect(await audioOf(store)).toEqual({
        format: 'mp3',
        contentType: 'audio/mpeg',
        ...unknown,
      });
      expect(await encodingOf()).toEqual([null, null]);
      await store.batches.undo('fifth', { by: BY });
      expect(await audioOf(store)).toEqual({ ...wav, ...properties });
      // Probed again.
      expect(await store.audioProperties.unprobed('', 10)).toEqual([AUDIO]);
    });

    it('are recorded once for all tracks with the file', async () => {
      const { store } = await open();
      const others = [
        delivery(1, { audioKey: AUDIO }),
        delivery(2, { audioKey: AUDIO }),
        delivery(3),
      ];
      await importAll(store, others);
      expect(await store.audioProperties.unprobed('', 10)).toEqual([AUDIO]);
      expect(await store.audioProperties.unprobed(AUDIO, 10)).toEqual([]);
      const head = await store.changes.head();
      await store.audioProperties.record(new Map([[AUDIO, probed]]));
      expect(await audioOf(store)).toEqual({ ...wav, ...properties });
      expect(await store.audioProperties.unprobed('', 10)).toEqual([]);
      const changes = await store.changes.since(head, ['track'], 10);
      expect(
        changes.map(({ entityId, kind, changed, by }) => [entityId, kind, changed, by]),
      ).toEqual(
        [trackId(1), trackId(2)].map((id) => [id, 'updated', ['audio', 'stream'], 'system:audio']),
      );
      await store.audioProperties.record(new Map([[AUDIO, { ...probed, bytes: 1 }]]));
      expect(await store.changes.head()).toBe(changes.at(-1)!.seq);
    });
  });
}
