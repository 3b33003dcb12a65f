import type {} from '../../../engines/sql/database.ts';
import type { NewChange } from '../../../engines/sql/logged-change.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import type { SwitchedTracks } from '../availability.ts';
import {
  BY_AVAILABILITY,
  type FollowedTrack,
  followPeriods,
  selectPeriods,
  visibleChange,
} from './track-period.ts';

/** Who switches tracks, in the change log. */
const BY = 'system:availability';

/** The most tracks of one transaction, and the fewest if there are more: they take about 15 ms without the commit. */
const MAX_TRACKS = 1_000;
const MIN_TRACKS = 200;

/** Brings the states of tracks in line with their availability. Each change is logged. */
export class AvailabilityStore extends SqlStore {
  /**
   * Switches all tracks whose availability has changed until now, in short transactions, the earliest first. May run on
   * several nodes at once. After the signal aborts, no further transaction begins.
   */
  async switchDue(signal?: AbortSignal): Promise<SwitchedTracks> {
    const sums = { began: 0, ended: 0, updated: 0 };
    if (!(await this.#isDue())) return sums;
    await inSlices(
      this.database,
      async (rows) => {
        const { tracks, mayHaveMore } = await this.#switchSome(Math.min(rows, MAX_TRACKS));
        for (const track of tracks) {
          const kind = switchKind(track);
          if (kind === 'restored') sums.began++;
          if (kind === 'withdrawn') sums.ended++;
          if (kind === 'updated') sums.updated++;
        }
        return mayHaveMore;
      },
      { signal, least: MIN_TRACKS },
    );
    return sums;
  }

  /** The moment of the earliest pending switch, which may have passed; null if there is none. */
  async nextSwitch(): Promise<number | null> {
    const { queries } = this.database;
    const [first] = await queries
      .selectFrom('tracks')
      .select('nextSwitchAt')
      .where('nextSwitchAt', 'is not', null)
      .orderBy('nextSwitchAt')
      .limit(1)
      .execute();
    return first?.nextSwitchAt ?? null;
  }

  /** Whether there is something to switch: looked up without the lock of all writers. */
  async #isDue(): Promise<boolean> {
    const next = await this.nextSwitch();
    return next !== null && next <= this.clock.now();
  }

  #switchSome(limit: number): Promise<{ tracks: FollowedTrack[]; mayHaveMore: boolean }> {
    return this.database.write(async ({ queries, log }) => {
      const now = this.clock.now();
      const due = await selectPeriods(queries)
        .where('nextSwitchAt', '<=', now)
        .orderBy('nextSwitchAt')
        .limit(limit)
        .execute();
      const on = { queries, dialect: this.database.dialect };
      const tracks = await followPeriods(on, due, now);
      const changes = tracks.flatMap((track): NewChange<'track'>[] => {
        const kind = switchKind(track);
        return kind === undefined ? [] : [[kind, track.id, BY_AVAILABILITY]];
      });
      await log('track', changes, { by: BY, batchId: null });
      return { tracks, mayHaveMore: due.length === limit };
    });
  }
}

/** Returns the kind of change that partners see; undefined if they see none. */
function switchKind({ before, after }: FollowedTrack) {
  const visible = visibleChange(before.state, after.state);
  if (visible !== undefined) return visible;
  const isMoved = after.state === 'live' && before.availableIn !== after.availableIn;
  return isMoved ? 'updated' : undefined;
}
