/** A node that is gone for longer than this is not shown. It is seen four times as often. */
export const NODE_SEEN_MS = 60_000;

/** A running node. With workers, there is one for the process. */
export interface RunningNode {
  /** A name that differs for each start. */
  node: string;
  host: string;
  pid: number;
  version: string;
  dataFolder: string;
}

/** A node with what its last sign of life tells. */
export interface SeenNode extends RunningNode {
  seenAt: number;
  /** How far its clock is ahead of that of the database, in milliseconds; negative if behind. */
  aheadMs: number;
}

/** The nodes that use the store, by the clock of the database. None of it is in the change log. */
export interface NodeStore {
  /** Notes that a node runs. @param clockAt the present time by its own clock */
  seen(node: RunningNode, clockAt: number): Promise<void>;
  /** Removes a node that stops, and those that were not seen for a day. */
  gone(node: string): Promise<void>;
  /** The nodes that were seen within NODE_SEEN_MS, by host and pid. */
  running(): Promise<SeenNode[]>;
  /** The present time by the clock of the database, in milliseconds since the epoch. */
  now(): Promise<number>;
}
