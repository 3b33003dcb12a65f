import type { BatchChange } from '../../../../engines/sql/logged-change.ts';
import type { DeliveryOutcome } from '../../track.ts';
import type { Delivered } from './track-columns.ts';
import type { Redelivered } from './track-writer.ts';

/** A delivery after the comparison with the stored tracks: with a final outcome, or to be written. */
export type Judged = { outcome: DeliveryOutcome } | { create: Delivered } | { update: Redelivered };

/** `changed` has the ids of the tracks that the updates change. */
export function outcomeOf(
  judged: Judged,
  changed: Pick<ReadonlySet<string>, 'has'>,
): DeliveryOutcome {
  if ('outcome' in judged) return judged.outcome;
  if ('create' in judged) return 'created';
  return changed.has(judged.update.delivery.id) ? 'updated' : 'unchanged';
}

/** Returns the change to log, if there is one. `changed` has those of the updates by the ids of their tracks. */
export function changeOf(
  judged: Judged,
  changed: ReadonlyMap<string, BatchChange>,
): BatchChange | undefined {
  if ('outcome' in judged) return undefined;
  if ('create' in judged) return ['created', judged.create.delivery.id];
  return changed.get(judged.update.delivery.id);
}
