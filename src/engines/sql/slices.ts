import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlDatabase } from './database.ts';

/** The numbers of rows of a slice: the first one, the fewest and the most. */
const FIRST_SLICE = 250;
const MIN_SLICE = 50;
const MAX_SLICE = 2_000;
/** After a slice that takes less than the first time, the next one is larger; after more than the second, smaller. */
const QUICK_MS = 4;
const SLOW_MS = 12;
/** The pause after a slice: as long as the slice took, within these limits. */
const MIN_PAUSE_MS = 4;
const MAX_PAUSE_MS = 50;

/**
 * Does a long task of housekeeping in short transactions, and pauses after each, so that others get at least half of
 * the time. The slices become smaller when they take long, because of large rows or because the machine is busy.
 * @param slice a transaction that handles up to this many rows. Returns whether there may be more
 * @param signal ends the task before the next slice
 * @param least the fewest rows of a slice: more if the commit takes longer than the rows
 */
export async function inSlices(
  database: Pick<SqlDatabase, 'settle'>,
  slice: (rows: number) => Promise<boolean>,
  { signal, least = MIN_SLICE }: { signal?: AbortSignal | undefined; least?: number } = {},
): Promise<void> {
  for (let rows = FIRST_SLICE; !signal?.aborted; ) {
    const startedAt = performance.now();
    if (!(await slice(rows))) return;
    const ms = performance.now() - startedAt;
    if (ms < QUICK_MS) rows = Math.min(MAX_SLICE, rows * 2);
    else if (ms > SLOW_MS) rows = Math.max(least, Math.ceil(rows / 2));
    await database.settle();
    await sleep(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, ms)));
  }
}
