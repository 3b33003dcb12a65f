import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { indexSource } from '../../../../test/harness/index-source.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { openSqliteStore } from '../../../app/open/open-sqlite.ts';
import { Follower } from '../../../engines/change-log/follower.ts';
import type { Store } from '../../store.ts';
import type { TrackDelivery } from '../track.ts';
import { parseDocument } from '../track-document.ts';
import { LiveCatalog } from './live-catalog.ts';
import { LiveLanguages } from './live-languages.ts';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-adopt-'));
  store = await openSqliteStore({ path: join(folder, 'stave.db'), clock: { now: () => 1e12 } });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function deliver(...deliveries: TrackDelivery[]): Promise<void> {
  const session = await store.catalog.openDelivery('cli:test', 'batch');
  await session.deliver(deliveries);
  await session.close();
}

/** Track `number` in a version. The duration is the number of the version. */
const version = (number: number, seconds: number) =>
  delivery(number, { durationSeconds: seconds, bpm: '' });

async function loaded() {
  const catalog = new LiveCatalog({
    store: store.catalog,
    source: indexSource(store),
    languages: new LiveLanguages({ store: store.languages, original: 'en' }),
  });
  await catalog.load();
  const errors: unknown[] = [];
  const follower = new Follower({
    log: store.changes,
    entities: ['track'],
    from: catalog.position,
    apply: (changes, head) => catalog.apply(changes, head),
    onError: (error) => errors.push(error),
  });
  return { catalog, follower, errors };
}

/** Returns the version of a track in its document, and whether the index has the same version. */
async function shown(catalog: LiveCatalog, number: number) {
  const { id } = delivery(number);
  const [track] = catalog.locate([id], {});
  if (track === undefined) return undefined;
  const [document] = await catalog.documents([track]);
  const seconds = parseDocument(document!).durationSeconds;
  const [asIndexed] = catalog.locate([id], { durationMin: seconds, durationMax: seconds });
  return { seconds, isIndexedSo: asIndexed === track };
}

const at = (seconds: number) => ({ seconds, isIndexedSo: true });

describe('LiveCatalog.adopt', () => {
  it('keeps the changes since the base was built, including takedowns and new tracks', async () => {
    await deliver(version(1, 1), version(2, 1), version(3, 1));
    const { catalog, follower } = await loaded();
    const base = await indexSource(store).build(0);
    await deliver(version(1, 2), version(4, 1));
    await setTrackState(store, delivery(2).id, 'taken_down', 'cli:test');
    await follower.poll();
    await catalog.setPopularity('live', new Map([[delivery(3).id, 5]]));
    const before = catalog.version;
    await catalog.adopt(base, store.changes);
    expect(await Promise.all([1, 2, 3, 4].map((one) => shown(catalog, one)))).toEqual([
      at(2),
      undefined,
      at(1),
      at(1),
    ]);
    expect(catalog.version).toBeGreaterThan(before);
    const popular = { offset: 0, limit: 1, sort: 'popular', popularity: 'live' } as const;
    expect(catalog.search({}, popular).rowIds).toEqual(catalog.locate([delivery(3).id], {}));
    await deliver(version(3, 3));
    await follower.poll();
    expect(await shown(catalog, 3)).toEqual(at(3));
  });

  it('accepts a base with newer changes, and skips these changes later', async () => {
    await deliver(version(1, 1));
    const { catalog, follower, errors } = await loaded();
    await shown(catalog, 1);
    await deliver(version(1, 2), version(2, 1));
    await catalog.adopt(await indexSource(store).build(0), store.changes);
    expect(await shown(catalog, 1)).toEqual(at(2));
    const { position } = catalog;
    await follower.poll();
    expect(catalog.position).toBe(position);
    await deliver(version(2, 2));
    await follower.poll();
    expect(await shown(catalog, 2)).toEqual(at(2));
    expect(errors).toEqual([]);
  });

  it('does not replace a version of a track by an older one', async () => {
    await deliver(version(1, 1));
    const { catalog } = await loaded();
    await deliver(version(1, 2));
    const base = await indexSource(store).build(0);
    const changes = await store.changes.since(catalog.position, ['track'], 10);
    await deliver(version(1, 3));
    // The store already contains version 3 when the change to version 2 is applied.
    await catalog.apply(changes);
    expect(await shown(catalog, 1)).toEqual(at(3));
    await catalog.adopt(base, store.changes);
    expect(await shown(catalog, 1)).toEqual(at(3));
  });

  it('changes nothing if it fails', async () => {
    await deliver(version(1, 1));
    const { catalog, follower } = await loaded();
    const base = await indexSource(store).build(0);
    const broken = { since: () => Promise.reject(new Error('away')) };
    await expect(catalog.adopt(base, broken)).rejects.toThrow('away');
    await deliver(version(1, 2));
    await follower.poll();
    expect(await shown(catalog, 1)).toEqual(at(2));
  });

  it('loses and reverses no change while changes are applied continuously', async () => {
    const tracks = Array.from({ length: 40 }, (_, i) => i);
    await deliver(...tracks.map((one) => version(one, 1)));
    const { catalog, follower, errors } = await loaded();
    const last = new Map(tracks.map((one) => [one, 1]));
    const seen = new Map(last);
    const reversed: string[] = [];
    let isDone = false;

    const writing = (async () => {
      for (let round = 2; round < 120; round++) {
        const some = tracks.filter((one) => (one * 7 + round) % 5 === 0);
        await deliver(...some.map((one) => version(one, round)));
        for (const one of some) last.set(one, round);
        await nextTurn();
      }
    })();
    const following = (async () => {
      while (!isDone) {
        await follower.poll();
        await nextTurn();
      }
    })();
    const looking = (async () => {
      while (!isDone) {
        for (const one of tracks) {
          const { id } = delivery(one);
          const least = seen.get(one)!;
          if (catalog.locate([id], { durationMin: least })[0] === undefined) {
            reversed.push(`track ${one} was at ${least}`);
          }
          while (catalog.locate([id], { durationMin: seen.get(one)! + 1 })[0] !== undefined) {
            seen.set(one, seen.get(one)! + 1);
          }
        }
        await nextTurn();
      }
    })();
    let adopted = 0;
    const adopting = (async () => {
      while (!isDone) {
        const base = await indexSource(store).build(0);
        for (let turn = 0; turn < adopted % 7; turn++) await nextTurn();
        await catalog.adopt(base, store.changes);
        adopted++;
      }
    })();
    await writing;
    isDone = true;
    await Promise.all([following, looking, adopting]);
    await follower.poll();
    expect(reversed).toEqual([]);
    expect(errors).toEqual([]);
    expect(adopted).toBeGreaterThan(5);
    expect(await Promise.all(tracks.map((one) => shown(catalog, one)))).toEqual(
      tracks.map((one) => at(last.get(one)!)),
    );
  });
});
