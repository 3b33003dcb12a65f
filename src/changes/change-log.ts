/** What can happen, by the kind of thing it happens to. */
export const CHANGE_KINDS = {
  track: ['created', 'updated', 'taken_down', 'restored', 'removed'],
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
  licence: ['created', 'updated', 'removed'],
} as const;

/** The kinds of thing that changes happen to. */
export type ChangeEntity = keyof typeof CHANGE_KINDS;
/** What can happen to a kind of thing. */
export type ChangeKind<Entity extends ChangeEntity> = (typeof CHANGE_KINDS)[Entity][number];

/** One line of the change log, written in the transaction of the change itself. */
export interface Change {
  /** Strictly increasing in the order of commits. */
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  entity: ChangeEntity;
  kind: string;
  entityId: string;
  by: string;
  /** One id for all changes of one import; null otherwise. */
  batchId: string | null;
}

/** The one log of everything that happened; whoever writes appends to it in the same transaction. */
export interface ChangeLog {
  /** Changes after `seq`, in order, of the given entities; cheap when there are none. */
  since(seq: number, entities: readonly ChangeEntity[], limit: number): Promise<Change[]>;
  /** The newest changes first, those before `seq` where given. */
  latest(limit: number, beforeSeq?: number): Promise<Change[]>;
  /** The last seq written, 0 where there is none. */
  head(): Promise<number>;
  /**
   * Calls back soon after a commit that appended, where the store can tell; sometimes without one,
   * and never reliably: poll as well. Returns how to end that.
   */
  watch(wake: () => void): () => void;
  /**
   * Forgets what is older, but for takedowns and removals of tracks; returns how many. In short
   * transactions; an aborted signal ends it after the one under way.
   */
  expire(before: number, signal?: AbortSignal): Promise<number>;
}
