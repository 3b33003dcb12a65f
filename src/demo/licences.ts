import { MODES } from '../access/client.ts';
import { DAY_MS } from '../kernel/clock.ts';
import { seededRandom } from '../kernel/seeded-random.ts';
import type { Licence } from '../licensing/licence.ts';
import { DEMO_TRACKS } from './tracks.ts';

/** How many licences of each mode lie in the last so many days; every period of popularity has some. */
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
 * Sales before `nowMs`, so that popularity has an answer in both modes and all periods: a few hits,
 * many that sell now and then, another order in each mode, and some tracks that nobody bought.
 */
export function demoLicences(nowMs: number): Licence[] {
  return MODES.flatMap((mode) => {
    const random = seededRandom(`licences ${mode}`);
    const ranking = DEMO_TRACKS.map(({ id }) => ({ id, place: random.next() }))
      .sort((a, b) => a.place - b.place)
      .slice(0, Math.round(DEMO_TRACKS.length * 0.8));
    return SALES[mode].flatMap(({ days, count }, period) =>
      Array.from({ length: count }, (_, i): Licence => {
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
