import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { ChosenState } from '../../src/features/availability/availability.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import type { EditChange, EditedValues } from '../../src/features/catalog/track-edits.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

const { artists, filters } = delivery(1);
const NAMES = ['A', 'B', 'C'].map((name) => ({ name }));
const values: fc.Arbitrary<EditedValues> = fc.record(
  {
    name: fc.constantFrom('A', 'B', 'C'),
    isrc: fc.constantFrom('', 'QZES72400137'),
    tags: fc.constantFrom([], ['slow'], ['slow', 'piano']),
    iswc: fc.constantFrom('', 'T-034.524.680-1'),
    releaseDate: fc.constantFrom(0, 1_000),
    hasVocals: fc.boolean(),
    filters: fc.constantFrom(filters, [{ type: 'mood' as const, name: 'Dark' }]),
    artists: fc.constantFrom(...NAMES.map((other) => artists.map((one) => ({ ...one, ...other })))),
  },
  { requiredKeys: [] },
);

const REVERTED = ['name', 'isrc', 'tags', 'iswc', 'releaseDate', 'filters', 'artists'] as const;

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('deliver' as const), values }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('edit' as const), values }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('revert' as const),
      fields: fc.subarray([...REVERTED]),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('state' as const),
      state: fc.constantFrom<ChosenState>('live', 'taken_down'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type Values = Record<string, unknown>;

const valuesOf = (one: TrackDelivery): Values => ({
  ...{ name: one.name, isrc: one.isrc, tags: one.tags, iswc: one.iswc ?? '' },
  ...{ releaseDate: one.releasedAt, hasVocals: one.hasVocals },
  filters: one.filters.map(({ type, name }) => ({ type, name })),
  artists: one.artists.map(({ name }) => name),
});

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function deliveryWith({ releaseDate, ...given }: EditedValues): TrackDelivery {
  const dated = releaseDate === undefined ? {} : { releasedAt: releaseDate };
  return delivery(1, { ...given, ...dated } as Partial<TrackDelivery>);
}

/** A track of a store, with what it must be. */
class World {
  readonly #store: Store;
  readonly #id = trackId(1);
  delivered: Values;
  readonly #edits: Values = {};
  /** The batches that can be undone, with what was delivered before. */
  readonly #batches: { batchId: string; before: Values }[] = [];

  private constructor(store: Store, delivered: Values) {
    this.#store = store;
    this.delivered = delivered;
  }

  static async create(store: Store): Promise<World> {
    await store.catalog.removeSource('label', BY);
    const first = deliveryWith({ iswc: '' });
    await importAll(store, [first], newId());
    return new World(store, valuesOf(first));
  }

  async take(one: Step): Promise<void> {
    switch (one.kind) {
      case 'deliver':
        return this.#deliver(deliveryWith(one.values));
      case 'edit':
        return this.#edit(one.values);
      case 'revert':
        for (const field of one.fields) delete this.#edits[field];
        return this.#change({ revert: one.fields, set: {} });
      case 'undo':
        return this.#undo();
      case 'state':
        await setTrackState(this.#store, this.#id, one.state, BY);
        return;
      case 'withdraw':
        return this.#withdraw();
    }
  }

  async #deliver(given: TrackDelivery): Promise<void> {
    const batchId = newId();
    const [outcome] = await importAll(this.#store, [given], batchId);
    const { iswc } = this.delivered;
    const after = valuesOf({ ...given, iswc: given.iswc ?? String(iswc) });
    if (!isSame(after, this.delivered)) expect(outcome).toBe('updated');
    if (outcome === 'updated') this.#batches.push({ batchId, before: this.delivered });
    this.delivered = after;
  }

  async #edit(set: EditedValues): Promise<void> {
    const values = valuesOf(deliveryWith(set));
    for (const field of Object.keys(set)) {
      if (isSame(values[field], this.delivered[field])) delete this.#edits[field];
      else this.#edits[field] = values[field];
    }
    await this.#change({ revert: [], set });
  }

  async #change(change: EditChange): Promise<void> {
    await this.#store.trackEdits.edit(this.#id, change, BY);
  }

  async #undo(): Promise<void> {
    const last = this.#batches.pop();
    if (last === undefined) return;
    await this.#store.batches.undo(last.batchId, { by: BY });
    this.delivered = last.before;
  }

  async #withdraw(): Promise<void> {
    const batchId = newId();
    const session = await this.#store.catalog.openDelivery(BY, batchId);
    const withdrawn = await session.withdraw('label', [this.#id]);
    await session.close();
    if (withdrawn > 0) this.#batches.push({ batchId, before: this.delivered });
  }

  async check(): Promise<void> {
    const found = (await this.#store.trackEdits.find(this.#id))!;
    expect(Object.keys(found.edits).sort()).toEqual(Object.keys(this.#edits).sort());
    expect(valuesOf(found.delivered)).toEqual(this.delivered);
    const effective = { ...this.delivered, ...this.#edits };
    expect(valuesOf(found.effective)).toEqual(effective);
    const { track } = (await this.#store.catalog.trackRecord(this.#id))!;
    const { releaseDate, artists: credits, ...members } = track;
    expect(effective).toMatchObject({
      ...valuesOf({ ...found.effective, ...(members as Partial<TrackDelivery>) }),
      releaseDate: Date.parse(releaseDate),
      artists: credits.map(({ name }) => name),
    });
  }
}

for (const adapter of ADAPTERS) {
  describe(`the edits of a track on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are over the last delivery, whatever happens in which order', async () => {
      const { store } = await open();
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          const world = await World.create(store);
          for (const one of steps) {
            await world.take(one);
            await world.check();
          }
        }),
        { numRuns: 15 },
      );
    });
  });
}
