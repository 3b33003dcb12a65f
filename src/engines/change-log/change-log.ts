import { StaveError } from '../../common/errors.ts';

export const CHANGE_KINDS = {
  track: ['created', 'updated', 'taken_down', 'withdrawn', 'restored', 'removed'],
  /** The id is its name. */
  source: ['updated'],
  /** The id is that of the track. */
  sound: ['analyzed'],
  playlist: ['created', 'updated', 'deleted', 'granted', 'revoked'],
  client: [
    'created',
    'updated',
    'disabled',
    'enabled',
    'secret_added',
    'secret_revoked',
    'signed_in',
    'signed_out',
    'deleted',
  ],
  seat: [
    'created',
    'updated',
    'disabled',
    'enabled',
    'link_created',
    'signed_in',
    'signed_out',
    'sessions_ended',
    'deleted',
  ],
  key: ['created', 'rotated'],
  license: ['created', 'updated', 'removed'],
  collection: ['created', 'updated', 'deleted', 'shared', 'unshared'],
  /** To a collection. Its expiry is not logged. */
  link: ['created', 'updated', 'ended'],
  filter: ['updated'],
  webhook: ['created', 'updated', 'deleted'],
  rate_card: ['published', 'withdrawn'],
  brief: ['synonyms_imported'],
  /** The id is the name of the operator. */
  console: ['password_set', 'logged_in', 'login_failed'],
  /** The id is the name. */
  operator: ['added', 'updated', 'disabled', 'enabled', 'reset', 'removed'],
} as const;

export type ChangeEntity = keyof typeof CHANGE_KINDS;
export type ChangeKind<Entity extends ChangeEntity> = (typeof CHANGE_KINDS)[Entity][number];

/** How partners see a change of a track: one that its source withdrew or removed is not found, as after a takedown. */
const TRACK_EVENTS = {
  created: 'track.created',
  updated: 'track.updated',
  taken_down: 'track.taken_down',
  withdrawn: 'track.taken_down',
  removed: 'track.taken_down',
  restored: 'track.restored',
} as const satisfies Record<ChangeKind<'track'>, string>;

export type TrackEvent = (typeof TRACK_EVENTS)[ChangeKind<'track'>];

/** Every kind of event once. */
export const TRACK_EVENT_TYPES: readonly TrackEvent[] = [...new Set(Object.values(TRACK_EVENTS))];

/** @param change of a track */
export function trackEventOf({ kind }: Pick<Change, 'kind'>): TrackEvent {
  return TRACK_EVENTS[kind as ChangeKind<'track'>];
}

/** One entry of the change log, written in the transaction of the change. */
export interface Change {
  /** Strictly increasing in the order of commits. */
  seq: number;
  /** In milliseconds since the epoch. Never less than the time of the change before. */
  at: number;
  entity: ChangeEntity;
  kind: string;
  entityId: string;
  by: string;
  /** The id of the batch of the change; null if it is not part of an import or an undo. */
  batchId: string | null;
  /** The partner that made the change through the API; null for any other change. */
  clientId: string | null;
  /** The mode of the token with which the partner made the change. */
  mode: 'test' | 'live' | null;
  /**
   * What changed: of an updated track, the names of its members; of an updated filter or playlist, `translations`; of a
   * source, the members of its default provenance; of a
   * shared, unshared or deleted collection, and of a granted, revoked or deleted playlist, the clients that could read
   * it; of a deleted seat, its name. Null for other kinds.
   */
  changed: readonly string[] | null;
}

export interface ChangeReason {
  reason: string | null;
  /** What the reason refers to, such as the number of a letter. */
  reference: string | null;
}

/** A change as the operator sees it. Followers do not read the reason. */
export interface ExplainedChange extends Change, ChangeReason {}

/** How far the change log reaches, of one moment. */
export interface LogBounds {
  /** The last `seq`, and the time of the last change; 0 if there is none. */
  head: number;
  headAt: number;
  /** Positions before this `seq` of a change of a track are no longer valid; with its time; 0 if all are valid. */
  floor: number;
  floorAt: number;
  /** The id of this history of the log (`positions.ts`); null before the first start of a service. */
  epoch: string | null;
}

/** Which changes to read. Each member that is given restricts them. */
export interface ChangeFilter {
  beforeSeq?: number | undefined;
  entity?: ChangeEntity | undefined;
  entityId?: string | undefined;
  kind?: string | undefined;
  by?: string | undefined;
  batchId?: string | undefined;
  /** Only changes of tracks that this source has at present. */
  source?: string | undefined;
  /** A part of the reason or the reference; the letters A to Z in either case. */
  text?: string | undefined;
  /** The first and the last moment, in milliseconds since the epoch. */
  since?: number | undefined;
  until?: number | undefined;
}

/** The log of all changes. Each change is appended in its own transaction. */
export interface ChangeLog {
  /** The changes of the given entities after `seq`, in order. Cheap if there are none. */
  since(seq: number, entities: readonly ChangeEntity[], limit: number): Promise<Change[]>;
  /** The latest changes that match the filter, newest first. */
  latest(limit: number, filter?: ChangeFilter): Promise<ExplainedChange[]>;
  /** The last `seq`; 0 if the log is empty. */
  head(): Promise<number>;
  bounds(): Promise<LogBounds>;
  /** The `seq` of the first change at or after a time, in milliseconds since the epoch; undefined if there is none. */
  firstAt(time: number): Promise<number | undefined>;
  /**
   * Calls back soon after a commit that appended changes, if the store supports it. A call may be missing or
   * without reason, so followers must poll as well. Returns a function that ends it.
   */
  watch(wake: () => void): () => void;
  /**
   * Makes positions invalid after which changes before a time follow. The changes stay. Takedowns, withdrawals, restorations
   * and removals of tracks do not count.
   */
  raiseFloor(before: number): Promise<void>;
  /**
   * Deletes the changes before a time, except takedowns, withdrawals, restorations and removals of tracks, and returns
   * their number. Raises the floor first. Works in short transactions; after the signal aborts, no further one begins.
   */
  expire(before: number, signal?: AbortSignal): Promise<number>;
}

/** A write was refused, because whoever makes it has not read the present version of what it changes. */
export class StaleVersion extends StaveError {
  /** What was changed meanwhile; undefined if the write does not say which version was read. */
  readonly changed: Pick<Change, 'entity' | 'entityId'> | undefined;

  constructor(message: string, changed?: StaleVersion['changed']) {
    super('conflict', message);
    this.changed = changed;
  }
}
