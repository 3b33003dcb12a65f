import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../common/clock.ts';
import type { LicensedTrack } from '../licensing/license.ts';
import { Popularity } from './popularity.ts';

/** The number that the catalog gives every track. */
const NO = 7;

/** A ranking whose inputs the tests change. `passes` records the reads of the store. */
function setUp(tracks: LicensedTrack[]) {
  const world = {
    now: 100 * DAY_MS,
    head: 1,
    tracks,
    gone: new Set<string>(),
    since: 0 as unknown,
  };
  const passes: string[] = [];
  const popularity = new Popularity({
    licenses: {
      async mostLicensed(mode, since) {
        passes.push(mode);
        world.since = since;
        return world.tracks;
      },
    },
    changes: { head: async () => world.head },
    catalog: {
      locate: (ids, { type }) =>
        ids.map((id) =>
          world.gone.has(id) || (type !== undefined && !id.startsWith(type)) ? undefined : NO,
        ),
    },
    clock: { now: () => world.now },
  });
  return { world, passes, popularity };
}

const ranking = [
  { rowId: NO, trackId: 'music-1', licenseCount: 9 },
  { rowId: NO, trackId: 'sfx-1', licenseCount: 7 },
  { rowId: NO, trackId: 'music-2', licenseCount: 7 },
];

describe('Popularity', () => {
  it('keeps the order and the counts of the store', async () => {
    const { popularity } = setUp(ranking);
    expect(await popularity.mostLicensed({ mode: 'live', period: 'all' })).toEqual(ranking);
  });

  it('counts the licenses of the period, and all licenses without a period', async () => {
    const { world, popularity } = setUp(ranking);
    await popularity.mostLicensed({ mode: 'live', period: '7d' });
    expect(world.since).toBe(93 * DAY_MS);
    await popularity.mostLicensed({ mode: 'live', period: 'all' });
    expect(world.since).toBeNull();
  });

  it('immediately omits tracks that are removed or do not match', async () => {
    const { world, popularity } = setUp(ranking);
    await popularity.mostLicensed({ mode: 'live', period: 'all' });
    world.gone.add('music-1');
    expect(await popularity.mostLicensed({ mode: 'live', period: 'all', type: 'music' })).toEqual([
      { rowId: NO, trackId: 'music-2', licenseCount: 7 },
    ]);
  });

  it('reads the store once for each mode and period while nothing changes', async () => {
    const { world, passes, popularity } = setUp(ranking);
    for (let i = 0; i < 20; i++) {
      await popularity.mostLicensed({ mode: 'live', period: 'all' });
      world.now += 2000;
    }
    expect(passes).toEqual(['live']);
    await popularity.mostLicensed({ mode: 'test', period: 'all' });
    expect(passes).toEqual(['live', 'test']);
  });

  it('shows a change within a second', async () => {
    const { world, popularity } = setUp(ranking);
    await popularity.mostLicensed({ mode: 'live', period: 'all' });
    world.tracks = [{ trackId: 'music-2', licenseCount: 10 }];
    world.head = 2;
    world.now += 1000;
    expect(await popularity.mostLicensed({ mode: 'live', period: 'all' })).toEqual([
      { rowId: NO, trackId: 'music-2', licenseCount: 10 },
    ]);
  });

  it('uses a later period even if nothing changes', async () => {
    const { world, popularity } = setUp(ranking);
    await popularity.mostLicensed({ mode: 'live', period: '7d' });
    world.now += 60_000;
    await popularity.mostLicensed({ mode: 'live', period: '7d' });
    expect(world.since).toBe(93 * DAY_MS + 60_000);
  });

  it('reads the store once for concurrent requests', async () => {
    const { passes, popularity } = setUp(ranking);
    await Promise.all(
      Array.from({ length: 10 }, () => popularity.mostLicensed({ mode: 'live', period: 'all' })),
    );
    expect(passes).toHaveLength(1);
  });
});
