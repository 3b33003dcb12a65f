import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deliveries } from '../../../test/harness/catalog.ts';
import { setTrackState } from '../../../test/harness/track-state.ts';
import { openSqliteStore } from '../../app/open/open-sqlite.ts';
import type { Mode } from '../../common/caller.ts';
import { Follower } from '../../engines/change-log/follower.ts';
import type { Store } from '../store.ts';
import { PopularityFeed } from './popularity.ts';

const BY = 'test:feed';
const TRACKS = deliveries(3);
const [A, B, C] = TRACKS.map(({ id }) => id) as [string, string, string];

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-feed-'));
  store = await openSqliteStore({ path: join(folder, 'stave.db'), clock: { now: () => 1e12 } });
  const session = await store.catalog.openDelivery(BY, 'b');
  await session.deliver(TRACKS);
  await session.close();
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

let sold = 0;
async function license(mode: Mode, ...trackIds: string[]): Promise<void> {
  const licenses = trackIds.map((trackId) => ({
    externalId: `l-${++sold}`,
    trackId,
    mode,
    licensedAt: 1,
    clientId: null,
  }));
  await store.licenses.put(licenses, BY, 'b');
}

/** Loads a feed. The function `news` polls its follower. */
async function feeding(batchSize = 1_000) {
  const given: [string, [string, number][]][] = [];
  const feed = new PopularityFeed({
    licenses: store.licenses,
    changes: store.changes,
    catalog: {
      async setPopularity(mode, counts) {
        given.push([mode, [...counts].sort(([, one], [, other]) => other - one)]);
      },
    },
  });
  await feed.load();
  const errors: unknown[] = [];
  const follower = new Follower({
    log: store.changes,
    entities: ['license'],
    from: feed.position,
    batchSize,
    apply: (changes) => feed.apply(changes),
    onError: (error) => errors.push(error),
  });
  /** Returns the counts that the feed has passed on since the last call. */
  const news = async () => {
    await follower.poll();
    expect(errors).toEqual([]);
    return given.splice(0);
  };
  return { news };
}

describe('the popularity feed', () => {
  it('passes on the counts of all time in each mode, at first and after each change', async () => {
    await license('live', A, B, B);
    await license('test', C);
    const { news } = await feeding();
    const test: [Mode, [string, number][]] = ['test', [[C, 1]]];
    const live = (...counts: [string, number][]) => ['live', counts];
    expect(await news()).toEqual([test, live([B, 2], [A, 1])]);
    await license('live', A, A);
    expect(await news()).toEqual([test, live([A, 3], [B, 2])]);
  });

  it('passes on nothing while no license changes', async () => {
    const { news } = await feeding();
    await news();
    await setTrackState(store, A, 'taken_down', BY);
    expect(await news()).toEqual([]);
  });

  it('also counts tracks that are taken down, because they may be restored', async () => {
    await license('live', A);
    await setTrackState(store, A, 'taken_down', BY);
    const { news } = await feeding();
    expect((await news())[1]).toEqual(['live', [[A, 1]]]);
  });

  it('counts once for each batch of changes', async () => {
    const { news } = await feeding(2);
    await news();
    await license('live', A, A, A, A, A, A, A, B);
    const counted = await news();
    expect(counted).toEqual([
      ['test', []],
      [
        'live',
        [
          [A, 7],
          [B, 1],
        ],
      ],
    ]);
  });

  it('does not count the licenses of removed tracks', async () => {
    await license('live', A, B);
    const { news } = await feeding();
    await news();
    await store.catalog.removeSource(TRACKS[0]!.source, BY);
    expect(await news()).toEqual([
      ['test', []],
      ['live', []],
    ]);
  });
});
