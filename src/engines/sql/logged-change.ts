import type { Actor, Mode, WriteContext } from '../../common/caller.ts';
import type { ChangeEntity, ChangeKind } from '../change-log/change-log.ts';

/** Who made changes, and why. All changes of an import or a command have the same cause. */
export interface Cause {
  by: Actor;
  /** Null if the change is not part of a batch. */
  batchId: string | null;
  /**
   * The partner that made the change through the API, and the mode of its token; or whose collection was changed, and its
   * mode.
   */
  clientId?: string;
  mode?: Mode;
  /** Why the operator makes the changes; null or absent without a reason. */
  reason?: string | null;
  reference?: string | null;
}

/** Returns the cause of changes through the API; returns any other cause as it is. */
export function causeOf(cause: Cause | Omit<WriteContext, 'finish'>): Cause {
  if (!('actor' in cause)) return cause;
  const { actor, clientId, mode } = cause;
  return { by: actor, batchId: null, clientId, mode };
}

/** A change to append: its kind, the id of the entity, and what of it changed, if the log records that. */
export type NewChange<Entity extends ChangeEntity> = readonly [
  kind: ChangeKind<Entity>,
  entityId: string,
  changed?: readonly string[],
];

/** A change of a track by an import or an undo, which its batch counts. */
export type BatchChange = readonly [
  kind: 'created' | 'updated' | 'withdrawn' | 'restored',
  trackId: string,
  changed?: readonly string[],
];

/**
 * The time of the last change; 0 if there is none. Later changes get no earlier time, so that a time divides
 * the log at one place. If the last rows have expired, the floor still has a time.
 */
export const HEAD_AT = `(
  SELECT max(at) FROM (
    SELECT at FROM change_log WHERE seq = (SELECT max(seq) FROM change_log)
    UNION ALL SELECT at FROM change_log_floor
  ) AS known)`;
