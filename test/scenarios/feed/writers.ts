import type { Clock } from '../../../src/common/clock.ts';
import { newId } from '../../../src/common/ids.ts';
import type { Store } from '../../../src/features/store.ts';
import { delivery } from '../../harness/deliveries.ts';
import { setTrackState } from '../../harness/track-state.ts';

const TRACKS_EACH = 500;
const BY = 'test:feed';
/** How far the clocks of the first and the last writer are from the time, in milliseconds. */
const SKEW_MS = 5_000;

/** The clock of one of several writers: their clocks are evenly spread around the time. */
export function skewedClock(writer: number, writers: number): Clock {
  const skewMs = Math.round(SKEW_MS * ((2 * writer) / Math.max(1, writers - 1) - 1));
  return { now: () => Date.now() + skewMs };
}

/** One in so many writers makes single changes; the others import. */
const SINGLE_EVERY = 4;

/**
 * Writes with each store until all together have made this many changes of tracks. Most writers import: they deliver
 * their own tracks repeatedly, many in each transaction. The others deliver, take down and restore their tracks one by
 * one, each change in a transaction of its own. The tempo of a track counts its deliveries.
 *
 * @param onChanges called with the number of changes so far, after each import and each few single changes
 */
export async function writeChanges(
  stores: readonly Store[],
  count: number,
  onChanges: (changes: number) => void,
): Promise<void> {
  let changes = 0;
  const isOver = () => changes >= count;
  const made = (more: number) => {
    changes += more;
    onChanges(changes);
  };
  await Promise.all(
    stores.map((store, writer) => {
      const numbers = Array.from({ length: TRACKS_EACH }, (_, i) => writer * TRACKS_EACH + i);
      const write = writer % SINGLE_EVERY === 0 ? writeSingly : writeImports;
      return write(store, numbers, isOver, made);
    }),
  );
}

type Write = (
  store: Store,
  numbers: readonly number[],
  isOver: () => boolean,
  made: (changes: number) => void,
) => Promise<void>;

const writeImports: Write = async ({ catalog }, numbers, isOver, made) => {
  for (let round = 1; !isOver(); round++) made(await deliver(catalog, numbers, round));
};

const writeSingly: Write = async (store, numbers, isOver, made) => {
  for (let round = 1; !isOver(); round++) {
    for (const number of numbers) {
      await deliver(store.catalog, [number], round);
      const { id } = delivery(number);
      await setTrackState(store, id, 'taken_down', BY);
      await setTrackState(store, id, 'live', BY);
      made(3);
      if (isOver()) return;
    }
  }
};

/** Imports the tracks with these numbers, for the `round`th time. Returns their number. */
async function deliver(
  catalog: Store['catalog'],
  numbers: readonly number[],
  round: number,
): Promise<number> {
  const session = await catalog.openDelivery(BY, newId());
  const tracks = numbers.map((number) => delivery(number, { bpm: String(round) }));
  const outcomes = await session.deliver(tracks);
  await session.close();
  const wanted = round === 1 ? 'created' : 'updated';
  if (outcomes.some((outcome) => outcome !== wanted)) throw new Error('no change was made');
  return outcomes.length;
}
