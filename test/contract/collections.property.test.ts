import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BY } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { ANY, tracksOf, withClient } from './collections-support.ts';

const TRACKS = 12;

const track = fc.nat({ max: TRACKS - 1 });
const tracks = fc.uniqueArray(track, { minLength: 1, maxLength: 5 });
const position = fc.option(fc.integer({ min: 1, max: TRACKS + 1 }), { nil: undefined });

/** A list of places, with the live tracks among all tracks. */
interface Model {
  list: number[];
  down: Set<number>;
  version: number;
}

const edit = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), tracks, position }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), tracks }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), track, position }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), tracks }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('toggle' as const), track }) },
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

const liveOf = ({ list, down }: Model) => list.filter((one) => !down.has(one));

/** The index in the whole list of a place among the live tracks; undefined after the end. */
function indexOf(model: Model, list: readonly number[], place: number | undefined) {
  if (place === undefined) return list.length;
  const live = list.filter((one) => !model.down.has(one));
  if (place > live.length + 1) return undefined;
  return place > live.length ? list.length : list.indexOf(live[place - 1]!);
}

/** Does an edit on the model. Returns false if it must be refused. */
function apply(model: Model, change: Edit): boolean {
  switch (change.kind) {
    case 'add': {
      const index = indexOf(model, model.list, change.position);
      if (index === undefined) return false;
      const added = change.tracks.filter((n) => !model.down.has(n) && !model.list.includes(n));
      model.list.splice(index, 0, ...added);
      if (added.length > 0) model.version++;
      return true;
    }
    case 'remove': {
      const rest = model.list.filter((n) => !change.tracks.includes(n));
      if (rest.length < model.list.length) model.version++;
      model.list = rest;
      return true;
    }
    case 'move': {
      if (liveOf(model)[(change.position ?? 1) - 1] === change.track) {
        model.version++;
        return true;
      }
      const rest = model.list.filter((n) => n !== change.track);
      const index = indexOf(model, rest, change.position ?? 1);
      if (!liveOf(model).includes(change.track) || index === undefined) return false;
      rest.splice(index, 0, change.track);
      model.list = rest;
      model.version++;
      return true;
    }
    case 'replace': {
      if (change.tracks.some((n) => model.down.has(n))) return false;
      model.list = [...change.tracks, ...model.list.filter((n) => model.down.has(n))];
      model.version++;
      return true;
    }
    default: {
      if (!model.down.delete(change.track)) model.down.add(change.track);
      return true;
    }
  }
}

for (const adapter of ADAPTERS) {
  describe(`the order of collections on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('is that of a list after any edits, takedowns and restorations', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(edit, { maxLength: 25 }), async (edits) => {
          await using harness = await open();
          const { store, me, create } = await withClient(harness, TRACKS);
          const { id } = await create(tracksOf(0, 1, 2));
          const model: Model = { list: [0, 1, 2], down: new Set(), version: 1 };
          const { collectionTracks: lists } = store;
          const perform = (change: Edit): Promise<unknown> => {
            switch (change.kind) {
              case 'add':
                return lists.add(
                  id,
                  { items: tracksOf(...change.tracks), position: change.position },
                  me,
                );
              case 'remove':
                return lists.remove(id, change.tracks.map(trackId), me);
              case 'move':
                return lists.editItem(
                  id,
                  trackId(change.track),
                  { position: change.position ?? 1 },
                  ANY,
                  me,
                );
              case 'replace':
                return lists.replace(id, tracksOf(...change.tracks), ANY, me);
              default:
                return setTrackState(
                  store,
                  trackId(change.track),
                  model.down.has(change.track) ? 'taken_down' : 'live',
                  BY,
                );
            }
          };
          for (const change of edits) {
            const isAllowed = apply(model, change);
            const done = perform(change);
            if (isAllowed) await done;
            else await expect(done).rejects.toThrow();
            expect(await lists.trackIds(id, me)).toEqual(model.list.map(trackId));
          }
          const summary = await store.collections.find(id, me);
          const live = liveOf(model).length;
          expect(summary).toMatchObject({
            trackCount: live,
            unavailableCount: model.list.length - live,
            version: model.version,
          });
        }),
        { numRuns: 20 },
      );
    });
  });
}
