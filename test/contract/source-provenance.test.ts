import { describe, expect, it } from 'vitest';
import type { Provenance } from '../../src/features/catalog/provenance.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, kindsAfter, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

const AUDIO = `${'a'.repeat(64)}.mp3`;
const COVER = `${'c'.repeat(64)}.png`;
const UNKNOWN: Provenance = { ai: 'unknown', aiParts: [], trainingAllowed: null, statement: null };
const NO_TRAINING = { trainingAllowed: false };

async function shown(store: Store, n: number) {
  const { provenance } = (await store.catalog.trackRecord(trackId(n)))!.track;
  return [provenance.ai, provenance.trainingAllowed];
}

/** The ids of tracks whose update was logged after a position, with what changed. */
async function updatedAfter(store: Store, seq: number) {
  const changes = await store.changes.since(seq, ['track'], 10_000);
  return changes.map(({ kind, entityId, changed, by }) => {
    expect([kind, changed, by]).toEqual(['updated', ['provenance'], BY]);
    return entityId;
  });
}

for (const adapter of ADAPTERS) {
  describe(`the provenance of a source on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('counts for its tracks that say nothing, also for later ones, until it is unset', async () => {
      const { store } = await open();
      const own = (members: Partial<Provenance>) => ({ provenance: { ...UNKNOWN, ...members } });
      await importAll(store, [
        delivery(1),
        delivery(2, own({ ai: 'none', trainingAllowed: true })),
        delivery(3, own({ aiParts: ['vocals'] })),
        delivery(4, { source: 'other' }),
      ]);
      await store.sourceProvenance.set('label', { ai: 'generated', trainingAllowed: false }, BY);
      await importAll(store, [delivery(5)], 'later');
      expect(await Promise.all([1, 2, 3, 4, 5].map((n) => shown(store, n)))).toEqual([
        ['generated', false],
        ['none', true],
        // It says what a machine made, so its share is not nothing.
        ['unknown', false],
        ['unknown', null],
        ['generated', false],
      ]);
      const ids = [1, 2, 3, 4, 5].map(trackId);
      const entries = new Map(
        (await store.catalog.indexEntries(ids)).map((entry) => [entry.id, entry]),
      );
      expect(ids.map((id) => entries.get(id)!.ai)).toEqual([
        'generated',
        'none',
        undefined,
        undefined,
        'generated',
      ]);
      expect(ids.map((id) => entries.get(id)!.trainingAllowed)).toEqual([
        ...[false, true, false, undefined, false],
      ]);
      const document = (await store.catalog.document(trackId(1)))!;
      expect(JSON.parse(`${document.json}}`).provenance).toMatchObject({ ai: 'generated' });
      await store.sourceProvenance.set('label', { ai: null, trainingAllowed: null }, BY);
      expect(await shown(store, 1)).toEqual(['unknown', null]);
      expect(await store.sourceProvenance.all()).toEqual([]);
    });

    it('is logged, with an update of each live track that it changes', async () => {
      const { store } = await open();
      const provenance = { ...UNKNOWN, trainingAllowed: true };
      await importAll(store, [...deliveries(0, 700), delivery(700, { provenance })]);
      await setTrackState(store, trackId(7), 'taken_down', BY);
      let seq = await store.changes.head();
      const expected = deliveries(0, 700).flatMap(({ id }) => (id === trackId(7) ? [] : [id]));
      expect(await store.sourceProvenance.set('label', NO_TRAINING, BY)).toBe(699);
      expect((await updatedAfter(store, seq)).sort()).toEqual(expected.sort());
      expect(await store.changes.since(seq, ['source'], 10)).toMatchObject([
        { kind: 'updated', entityId: 'label', changed: ['trainingAllowed'], by: BY },
      ]);
      expect(await store.sourceProvenance.all()).toEqual([
        { source: 'label', ai: null, trainingAllowed: false },
      ]);

      seq = await store.changes.head();
      expect(await store.sourceProvenance.set('label', NO_TRAINING, BY)).toBe(0);
      expect(await store.changes.head()).toBe(seq);

      expect(await store.sourceProvenance.set('label', { ai: 'none' }, BY)).toBe(700);
      expect(await updatedAfter(store, seq)).toHaveLength(700);
      seq = await store.changes.head();
      expect(await store.sourceProvenance.set('new', NO_TRAINING, BY)).toBe(0);
      expect(await kindsAfter(store, seq)).toEqual(['source.updated']);
    });

    it('is completed by the next command after any step at which one was killed', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 700));
      const seq = await store.changes.head();
      const now = clock.now.bind(clock);
      const set = () => store.sourceProvenance.set('label', NO_TRAINING, BY);
      for (let steps = 0; ; steps++) {
        let left = steps;
        clock.now = () => {
          if (left-- === 0) throw new Error('killed');
          return now();
        };
        const end = await set().catch((error: Error) => error.message);
        if (end === 700) break;
        expect([end, steps < 50]).toEqual(['killed', true]);
      }
      clock.now = now;
      expect(new Set(await updatedAfter(store, seq)).size).toBe(700);
      const head = await store.changes.head();
      expect(await set()).toBe(0);
      expect(await store.changes.head()).toBe(head);
    });

    it('counts for files, and stays out of what is kept of former deliveries', async () => {
      const { store } = await open();
      const { catalog } = store;
      const files = { audioKey: AUDIO, artworkKey: COVER };
      await importAll(store, [delivery(1, files)], 'first');
      expect(await catalog.artworkForbidsTraining(COVER)).toBe(false);
      await store.sourceProvenance.set('label', NO_TRAINING, BY);
      expect((await catalog.trackAudio(trackId(1)))!.forbidsTraining).toBe(true);
      expect((await catalog.trackParts(trackId(1)))!.forbidsTraining).toBe(true);
      expect(await catalog.artworkForbidsTraining(COVER)).toBe(true);

      await importAll(store, [delivery(1, { ...files, name: 'Other' })], 'second');
      await store.trackEdits.edit(trackId(1), { revert: [], set: { bpm: '77' } }, BY);
      await store.batches.undo('second', { by: BY });
      await store.sourceProvenance.set('label', { trainingAllowed: null }, BY);
      expect(await shown(store, 1)).toEqual(['unknown', null]);
      expect(await catalog.artworkForbidsTraining(COVER)).toBe(false);
      await store.sourceProvenance.set('label', { trainingAllowed: true }, BY);
      expect(await catalog.artworkForbidsTraining(COVER)).toBe(false);
    });
  });
}
