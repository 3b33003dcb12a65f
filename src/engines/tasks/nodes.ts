import { sql } from 'kysely';
import { DAY_MS } from '../../common/clock.ts';
import { SqlStore } from '../sql/sql-store.ts';

/** A node that was not seen for this time is not shown. A node reports four times as often. */
export const NODE_SEEN_MS = 60_000;

/** A running node. With workers, there is one for the process. */
export interface RunningNode {
  node: string;
  host: string;
  pid: number;
  version: string;
  dataFolder: string;
}

export interface SeenNode extends RunningNode {
  seenAt: number;
  /** How far its clock is ahead of that of the database, in milliseconds; negative if behind. */
  aheadMs: number;
}

/**
 * The nodes that use the store, by the clock of the database. None of it is in the change log. The writes do not exclude
 * other writers, and do not wait for the disk.
 */
export class NodeStore extends SqlStore {
  /** @param clockAt the present time by the clock of the node */
  async seen(node: RunningNode, clockAt: number): Promise<void> {
    const times = { seenAt: this.database.dialect.now(), clockAt };
    await this.database.discard((queries) =>
      queries
        .insertInto('nodes')
        .values({ ...node, ...times })
        .onConflict((conflict) =>
          conflict.column('node').doUpdateSet(({ ref }) => ({
            seenAt: ref('excluded.seenAt'),
            clockAt: ref('excluded.clockAt'),
          })),
        )
        .execute(),
    );
  }

  /** Removes a node that stops, and those that were not seen for a day. */
  async gone(node: string): Promise<void> {
    const dayAgo = sql<number>`${this.database.dialect.now()} - ${DAY_MS}`;
    await this.database.discard((queries) =>
      queries
        .deleteFrom('nodes')
        .where(({ or, eb }) => or([eb('node', '=', node), eb('seenAt', '<', dayAgo)]))
        .execute(),
    );
  }

  /** The nodes that were seen within NODE_SEEN_MS, by host and pid. */
  async running(): Promise<SeenNode[]> {
    const since = sql<number>`${this.database.dialect.now()} - ${NODE_SEEN_MS}`;
    const nodes = await this.database.queries
      .selectFrom('nodes')
      .select(['node', 'host', 'pid', 'version', 'dataFolder', 'seenAt', 'clockAt'])
      .where('seenAt', '>=', since)
      .orderBy('host')
      .orderBy('pid')
      .execute();
    return nodes.map(({ clockAt, ...node }) => ({ ...node, aheadMs: clockAt - node.seenAt }));
  }

  /** The present time by the clock of the database, in milliseconds since the epoch. */
  async now(): Promise<number> {
    const { now } = await this.database.queries
      .selectNoFrom(this.database.dialect.now().as('now'))
      .executeTakeFirstOrThrow();
    return now;
  }
}
