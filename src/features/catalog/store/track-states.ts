import type { Actor } from '../../../common/caller.ts';
import type { WriteTransaction } from '../../../engines/sql/database.ts';
import type { NewChange } from '../../../engines/sql/logged-change.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import type { ChosenState } from '../../availability/availability.ts';
import {
  BY_AVAILABILITY,
  followPeriods,
  selectPeriods,
} from '../../availability/store/track-period.ts';
import type { ChangedState, StateChange } from '../catalog-stores.ts';
import { unknownTrack } from '../track.ts';

/** Takes tracks down and restores them, within their availability. */
export class TrackStates extends SqlStore {
  /** See `CatalogStore.setState`. */
  set(id: string, state: ChosenState, by: Actor): Promise<boolean> {
    return this.database.write(async (transaction) => {
      const track = await transaction.queries
        .selectFrom('tracks')
        .select('rowId')
        .where('id', '=', id)
        .executeTakeFirst();
      if (track === undefined) throw unknownTrack(id);
      const change = { state, reason: null, reference: null };
      return (await this.#change(transaction, [track.rowId], change, by)).length > 0;
    });
  }

  /** See `TrackFinder.setStates`. */
  setAll(rowIds: readonly number[], change: StateChange, by: Actor): Promise<ChangedState[]> {
    return this.database.write((transaction) => this.#change(transaction, rowIds, change, by));
  }

  async #change(
    { queries, log }: WriteTransaction,
    rowIds: readonly number[],
    { state, reason, reference }: StateChange,
    by: Actor,
  ): Promise<ChangedState[]> {
    const { dialect } = this.database;
    const rows = await selectPeriods(queries)
      .where(({ ref }) => dialect.isOneOf(ref('rowId'), rowIds))
      .orderBy('rowId')
      .execute();
    const followed = await followPeriods({ queries, dialect }, rows, this.clock.now(), {
      stateOf: () => state,
    });
    const changed = followed
      .filter(({ before, after }) => before.state !== after.state)
      .map(({ rowId, id, after }) => ({ rowId, id, state: after.state }));
    if (changed.length === 0) return [];
    const kind = state === 'live' ? 'restored' : 'taken_down';
    const changes = changed.map(({ id, state: now }): NewChange<'track'> => {
      // To partners, a restored track outside of its periods is still taken down.
      return now === 'unavailable' ? ['withdrawn', id, BY_AVAILABILITY] : [kind, id];
    });
    await log('track', changes, { by, batchId: null, reason, reference });
    return changed;
  }
}
