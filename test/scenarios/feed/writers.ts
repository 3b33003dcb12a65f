import type { Clock } from '../../../src/common/clock.ts';
import { newId } from '../../../src/common/ids.ts';
import type { Store } from '../../../src/storage/store.ts';
import { delivery } from '../../harness/deliveries.ts';

const TRACKS_EACH = 500;
const BY = 'test:feed';
/** How far the clocks of the first and the last writer are from the time, in milliseconds. */
const SKEW_MS = 5_000;

/** The clock of one of several writers: their clocks are evenly spread around the time. */
export function skewedClock(writer: number, writers: number): Clock {
  const skewMs = Math.round(SKEW_MS * ((2 * writer) / Math.max(1, writers - 1) - 1));
  return { now: () => Date.now() + skewMs };
}

/**
 * Writes with each store until all together have made this many changes of tracks. Each writer delivers its own tracks
 * repeatedly, and takes one down and restores it after each delivery. The tempo of a track counts its deliveries.
 *
 * @param onChanges called with the number of changes so far, after each delivery
 */
export async function writeChanges(
  stores: readonly Store[],
  count: number,
  onChanges: (changes: number) => void,
): Promise<void> {
  let changes = 0;
  await Promise.all(
    stores.map(async ({ catalog }, writer) => {
      const numbers = Array.from({ length: TRACKS_EACH }, (_, i) => writer * TRACKS_EACH + i);
      for (let round = 1; changes < count; round++) {
        const session = await catalog.openDelivery(BY, newId());
        const tracks = numbers.map((number) => delivery(number, { bpm: String(round) }));
        const outcomes = await session.deliver(tracks);
        await session.close();
        const wanted = round === 1 ? 'created' : 'updated';
        if (outcomes.some((outcome) => outcome !== wanted)) throw new Error('no change was made');
        const { id } = tracks[round % TRACKS_EACH]!;
        await catalog.setState(id, 'taken_down', BY);
        await catalog.setState(id, 'live', BY);
        changes += outcomes.length + 2;
        onChanges(changes);
      }
    }),
  );
}
