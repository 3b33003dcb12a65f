import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { indexSource } from '../../../../test/harness/index-source.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { until } from '../../../../test/harness/until.ts';
import { openSqliteStore } from '../../../app/open/open-sqlite.ts';
import type { IndexSource, LoadedIndex } from '../../../engines/search/catalog-index.ts';
import type { Store } from '../../store.ts';
import type { TrackDelivery } from '../track.ts';
import { LiveCatalog } from './live-catalog.ts';
import { LiveLanguages } from './live-languages.ts';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-hide-'));
  store = await openSqliteStore({ path: join(folder, 'stave.db'), clock: { now: () => 1e12 } });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const idOf = (number: number) => delivery(number).id;

async function deliverAll(tracks: TrackDelivery[]): Promise<void> {
  const session = await store.catalog.openDelivery('cli:test', 'batch');
  await session.deliver(tracks);
  await session.close();
}

const deliver = (from: number, to: number, seconds = 1) =>
  deliverAll(
    Array.from({ length: to - from }, (_, i) =>
      delivery(from + i, { durationSeconds: seconds, bpm: '' }),
    ),
  );

const deliverWith = (number: number, mood: string) =>
  deliverAll([delivery(number, { filters: [{ type: 'mood', name: mood }] })]);

const changesSince = (seq: number) => store.changes.since(seq, ['track'], 100_000);

const takeDown = (number: number) => setTrackState(store, idOf(number), 'taken_down', 'cli:test');
const restore = (number: number) => setTrackState(store, idOf(number), 'live', 'cli:test');

async function loaded(source: IndexSource = indexSource(store)): Promise<LiveCatalog> {
  const catalog = new LiveCatalog({
    store: store.catalog,
    source,
    languages: new LiveLanguages({ store: store.languages, original: 'en' }),
  });
  await catalog.load();
  return catalog;
}

/** A catalog whose next build of an index begins with `building`, and ends when `built` is resolved. */
async function loadedWithHeldBuild() {
  const parts = indexSource(store);
  const building = Promise.withResolvers<void>();
  const built = Promise.withResolvers<LoadedIndex>();
  const catalog = await loaded({
    open: () => parts.open(),
    build: () => {
      building.resolve();
      return built.promise;
    },
  });
  return { catalog, parts, building, built };
}

/** Whether lists, look-ups and counts contain the track. */
function shows(catalog: LiveCatalog, number: number): boolean {
  const [track] = catalog.locate([idOf(number)], {});
  const { rowIds, total } = catalog.search({}, { offset: 0, limit: 100_000 });
  expect(total).toBe(rowIds.length);
  expect(catalog.size).toBe(total);
  expect(track !== undefined && rowIds.includes(track)).toBe(track !== undefined);
  return track !== undefined;
}

describe('LiveCatalog.applyEarly', () => {
  it('hides a track before the changes that precede its takedown are applied', async () => {
    await deliver(0, 50);
    const catalog = await loaded();
    const before = catalog.version;
    await deliver(50, 80);
    await takeDown(7);
    await catalog.applyEarly(await changesSince(catalog.position));
    expect(shows(catalog, 7)).toBe(false);
    expect(catalog.size).toBe(49);
    expect(catalog.version).toBeGreaterThan(before);
    await catalog.apply(await changesSince(catalog.position));
    expect(shows(catalog, 7)).toBe(false);
    expect(catalog.size).toBe(79);
  });

  it('hides a track during the build of an index, and also in that index', async () => {
    await deliver(0, 10);
    const { catalog, parts, building, built } = await loadedWithHeldBuild();
    await deliver(0, 10, 2);
    // The index is built before the takedown, so the track is live in it.
    const index = await parts.build(0);
    await takeDown(3);
    const changes = await changesSince(catalog.position);
    const applied = catalog.apply(changes.slice(0, 5), catalog.position + 1_000_000);
    await building.promise;
    await catalog.applyEarly(changes);
    expect(shows(catalog, 3)).toBe(false);
    built.resolve(index);
    await applied;
    expect(shows(catalog, 3)).toBe(false);
    await catalog.apply(await changesSince(catalog.position));
    expect(shows(catalog, 3)).toBe(false);
    await restore(3);
    await catalog.apply(await changesSince(catalog.position));
    expect(shows(catalog, 3)).toBe(true);
  });

  it('shows a restored track, as it is now, before the changes that precede its restoration are applied', async () => {
    await deliver(0, 50);
    await takeDown(7);
    const catalog = await loaded();
    await deliver(50, 80);
    await deliver(7, 8, 99);
    await restore(7);
    await takeDown(8);
    await restore(8);
    await takeDown(8);
    const before = catalog.version;
    await catalog.applyEarly(await changesSince(catalog.position));
    expect(shows(catalog, 7)).toBe(true);
    expect(shows(catalog, 8)).toBe(false);
    expect(catalog.size).toBe(49);
    expect(catalog.version).toBeGreaterThan(before);
    const [document] = await catalog.documents([catalog.locate([idOf(7)], {})[0]!]);
    const written = Buffer.alloc(document!.bytes);
    document!.write(written, 0);
    expect(written.toString()).toContain('"durationSeconds":99,');

    await takeDown(7);
    await catalog.applyEarly(await changesSince(catalog.position));
    expect(shows(catalog, 7)).toBe(false);
    await restore(7);
    await catalog.applyEarly(await changesSince(catalog.position));
    expect(shows(catalog, 7)).toBe(true);
    await catalog.apply(await changesSince(catalog.position));
    expect(shows(catalog, 7)).toBe(true);
    expect(shows(catalog, 8)).toBe(false);
    expect(catalog.size).toBe(79);
  });

  it('shows a restored track during the build of an index, and also in that index', async () => {
    await deliver(0, 10);
    await takeDown(3);
    const { catalog, parts, building, built } = await loadedWithHeldBuild();
    await deliver(0, 3, 2);
    const index = await parts.build(0);
    await restore(3);
    const changes = await changesSince(catalog.position);
    const applied = catalog.apply(changes.slice(0, 1), catalog.position + 1_000_000);
    await building.promise;
    await catalog.applyEarly(changes);
    expect(shows(catalog, 3)).toBe(true);
    built.resolve(index);
    await applied;
    expect(shows(catalog, 3)).toBe(true);
    await catalog.apply(await changesSince(catalog.position));
    expect(shows(catalog, 3)).toBe(true);
    expect(catalog.size).toBe(10);
  });

  it('shows a bounded number of restored tracks early, and leaves the rest to the order of the log', async () => {
    await deliver(0, 200);
    for (let number = 0; number < 150; number++) await takeDown(number);
    const catalog = await loaded();
    for (let number = 0; number < 150; number++) await restore(number);
    await catalog.applyEarly(await changesSince(catalog.position));
    expect(catalog.size).toBe(50 + 64);
    await catalog.applyEarly(await changesSince(catalog.position));
    expect(catalog.size).toBe(50 + 64);
    await catalog.apply(await changesSince(catalog.position));
    expect(catalog.size).toBe(200);
  });

  it('does not hide a restored track whose changes are applied', async () => {
    await deliver(0, 5);
    const catalog = await loaded();
    const from = catalog.position;
    await takeDown(1);
    await restore(1);
    const changes = await changesSince(from);
    await catalog.apply(changes);
    await catalog.applyEarly(changes);
    expect(shows(catalog, 1)).toBe(true);
  });

  it('keeps the filters that were applied while it read older ones', async () => {
    await deliver(0, 3);
    await takeDown(1);
    let next: PromiseWithResolvers<void> | undefined;
    const filters = async () => {
      const read = await store.catalog.filters();
      const held = next;
      next = undefined;
      await held?.promise;
      return read;
    };
    const { indexEntries, documents } = store.catalog;
    const catalog = new LiveCatalog({
      languages: new LiveLanguages({ store: store.languages, original: 'en' }),
      store: {
        indexEntries: indexEntries.bind(store.catalog),
        documents: documents.bind(store.catalog),
        filters,
      },
      source: indexSource(store),
    });
    await catalog.load();
    await deliverWith(1, 'Early');
    await restore(1);
    const held = Promise.withResolvers<void>();
    next = held;
    const early = catalog.applyEarly(await changesSince(catalog.position));
    await until(() => next === undefined, 'the read of the filters');
    await deliverWith(2, 'Late');
    await catalog.apply(await changesSince(catalog.position));
    held.resolve();
    await early;
    const shown = catalog.filters('mood').map(({ name }) => name);
    expect(shown).toEqual(expect.arrayContaining(['Early', 'Late']));
  });

  it('hides each track once, also after others', async () => {
    await deliver(0, 9);
    const parts = indexSource(store);
    const hidden: string[] = [];
    const catalog = await loaded({
      ...parts,
      async open() {
        const { index, seq } = await parts.open();
        const hide = index.hide.bind(index);
        index.hide = (ids, at) => {
          hidden.push(...ids);
          hide(ids, at);
        };
        return { index, seq };
      },
    });
    for (let number = 0; number < 9; number++) {
      const from = await store.changes.head();
      await takeDown(number);
      await catalog.applyEarly(await changesSince(from));
      expect(shows(catalog, number)).toBe(false);
    }
    expect(hidden).toHaveLength(9);
  });

  it('leads to the state of the store for any order of `hide` and `apply`', async () => {
    await deliver(0, 12);
    const step = fc.oneof(
      fc.record({ do: fc.constantFrom('down', 'up', 'update'), track: fc.nat(11) }),
      fc.record({ do: fc.constantFrom('hide', 'apply'), track: fc.nat(3) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const catalog = await loaded();
        let hiddenTo = catalog.position;
        const under: Promise<unknown>[] = [];
        for (const [i, { do: what, track }] of steps.entries()) {
          if (what === 'down') await takeDown(track);
          else if (what === 'up') await restore(track);
          else if (what === 'update') await deliver(track, track + 1, 10 + i);
          else if (what === 'hide') {
            const changes = await changesSince(hiddenTo);
            await catalog.applyEarly(changes);
            hiddenTo = changes.at(-1)?.seq ?? hiddenTo;
            const restored = new Set(
              changes.filter(({ kind }) => kind === 'restored').map(({ entityId }) => entityId),
            );
            for (const { entityId } of changes) {
              const record = await store.catalog.trackRecord(entityId);
              const [track] = catalog.locate([entityId], {});
              // A track that is not live now is hidden immediately, and one that was restored is shown.
              if (record?.state !== 'live') expect(track).toBeUndefined();
              else if (restored.has(entityId)) expect(track).toBeDefined();
            }
          } else
            under.push(catalog.apply((await changesSince(catalog.position)).slice(0, track + 1)));
        }
        await Promise.all(under);
        await catalog.apply(await changesSince(catalog.position));
        for (let track = 0; track < 12; track++) {
          const record = await store.catalog.trackRecord(idOf(track));
          expect(shows(catalog, track), `track ${track}`).toBe(record?.state === 'live');
        }
      }),
      { numRuns: 40 },
    );
  });
});
