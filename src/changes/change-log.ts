/** The kinds of change, by entity. */
export const CHANGE_KINDS = {
  track: ['created', 'updated', 'taken_down', 'withdrawn', 'restored', 'removed'],
  playlist: ['created', 'updated', 'deleted', 'granted', 'revoked'],
  client: [
    'created',
    'updated',
    'disabled',
    'enabled',
    'secret_added',
    'secret_revoked',
    'deleted',
  ],
  key: ['created', 'rotated'],
  license: ['created', 'updated', 'removed'],
} as const;

/** The entities of the change log. */
export type ChangeEntity = keyof typeof CHANGE_KINDS;
/** The kinds of change of an entity. */
export type ChangeKind<Entity extends ChangeEntity> = (typeof CHANGE_KINDS)[Entity][number];

/** One entry of the change log, written in the transaction of the change. */
export interface Change {
  /** Strictly increasing in the order of commits. */
  seq: number;
  /** In milliseconds since the epoch. */
  at: number;
  entity: ChangeEntity;
  kind: string;
  entityId: string;
  by: string;
  /** The id of the batch of the change; null if it is not part of an import or an undo. */
  batchId: string | null;
}

/** The log of all changes. Each change is appended in its own transaction. */
export interface ChangeLog {
  /** The changes of the given entities after `seq`, in order. Cheap if there are none. */
  since(seq: number, entities: readonly ChangeEntity[], limit: number): Promise<Change[]>;
  /** The latest changes, newest first; with `beforeSeq`, those before it. */
  latest(limit: number, beforeSeq?: number): Promise<Change[]>;
  /** The last `seq`; 0 if the log is empty. */
  head(): Promise<number>;
  /**
   * Calls back soon after a commit that appended changes, if the store supports it. A call may be missing or
   * without reason, so followers must poll as well. Returns a function that ends it.
   */
  watch(wake: () => void): () => void;
  /**
   * Deletes the changes before a time, except takedowns, withdrawals and removals of tracks, and returns
   * their number. Works in short transactions; after the signal aborts, no further one begins.
   */
  expire(before: number, signal?: AbortSignal): Promise<number>;
}
