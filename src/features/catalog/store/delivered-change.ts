import type { BatchChange } from '../../../engines/sql/logged-change.ts';
import type { TrackState } from '../../availability/availability.ts';
import { BY_AVAILABILITY, visibleChange } from '../../availability/store/track-period.ts';

/**
 * Returns the change of a track that a delivery has updated.
 *
 * @param changed the members that it changed; undefined if it only restored a withdrawn track
 */
export function deliveredChange(
  id: string,
  before: TrackState,
  after: TrackState,
  changed: readonly string[] = [],
): BatchChange {
  if (before === 'withdrawn' && after === 'live') return ['restored', id];
  const visible = visibleChange(before, after);
  return visible === undefined ? ['updated', id, changed] : [visible, id, BY_AVAILABILITY];
}

/** Returns the numbers of changes as a batch counts them: one that the availability of a track causes is an update. */
export function batchCounts(changes: readonly BatchChange[]): Record<BatchChange[0], number> {
  const counts = { created: 0, updated: 0, withdrawn: 0, restored: 0 };
  for (const [kind, , changed] of changes) {
    counts[changed === BY_AVAILABILITY ? 'updated' : kind]++;
  }
  return counts;
}
