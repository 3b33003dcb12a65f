import { MODES } from '../../common/caller/scopes.ts';
import { DAY_MS } from '../../common/clock.ts';
import { seededRandom } from '../../common/seeded-random.ts';
import type { License } from '../licensing/license.ts';
import { DEMO_TRACKS } from './tracks.ts';

/**
 * How many licenses of each mode were sold in the last `days`. Every period of popularity has some.
 */
const SALES = {
  live: [
    { days: 7, count: 40 },
    { days: 30, count: 60 },
    { days: 90, count: 70 },
    { days: 365, count: 90 },
    { days: 900, count: 60 },
  ],
  test: [
    { days: 7, count: 12 },
    { days: 30, count: 14 },
    { days: 90, count: 14 },
    { days: 365, count: 18 },
    { days: 900, count: 10 },
  ],
} as const;

/**
 * Makes sales before `nowMs`, so that both modes and all periods have popular tracks: a few hits,
 * many occasional sales, another order in each mode, and some tracks without a license.
 */
export function demoLicenses(nowMs: number): License[] {
  return MODES.flatMap((mode) => {
    const random = seededRandom(`licenses ${mode}`);
    const ranking = DEMO_TRACKS.map(({ id }) => ({ id, place: random.next() }))
      .sort((a, b) => a.place - b.place)
      .slice(0, Math.round(DEMO_TRACKS.length * 0.8));
    return SALES[mode].flatMap(({ days, count }, period) =>
      Array.from({ length: count }, (_, i): License => {
        const track = ranking[Math.floor(random.next() ** 2.2 * ranking.length)]!;
        return {
          externalId: `demo:${mode}:${period}:${i}`,
          trackId: track.id,
          mode,
          // A little short of the period's end, so that it holds for the first hours too.
          licensedAt: Math.round(nowMs - random.between(0.02, days - 0.3) * DAY_MS),
          clientId: null,
        };
      }),
    );
  });
}
