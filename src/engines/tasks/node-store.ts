import { sql } from 'kysely';
import { DAY_MS } from '../../common/clock.ts';
import type { SqlDatabase } from '../sql/database.ts';
import { NODE_SEEN_MS, type NodeStore, type RunningNode, type SeenNode } from './nodes.ts';

/** The nodes that run. The writes do not exclude other writers, and do not wait for the disk. */
export class SqlNodeStore implements NodeStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async seen(node: RunningNode, clockAt: number): Promise<void> {
    const times = { seenAt: this.#database.dialect.now(), clockAt };
    await this.#database.discard((queries) =>
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

  async gone(node: string): Promise<void> {
    const dayAgo = sql<number>`${this.#database.dialect.now()} - ${DAY_MS}`;
    await this.#database.discard((queries) =>
      queries
        .deleteFrom('nodes')
        .where(({ or, eb }) => or([eb('node', '=', node), eb('seenAt', '<', dayAgo)]))
        .execute(),
    );
  }

  async running(): Promise<SeenNode[]> {
    const since = sql<number>`${this.#database.dialect.now()} - ${NODE_SEEN_MS}`;
    const nodes = await this.#database.queries
      .selectFrom('nodes')
      .select(['node', 'host', 'pid', 'version', 'dataFolder', 'seenAt', 'clockAt'])
      .where('seenAt', '>=', since)
      .orderBy('host')
      .orderBy('pid')
      .execute();
    return nodes.map(({ clockAt, ...node }) => ({ ...node, aheadMs: clockAt - node.seenAt }));
  }

  async now(): Promise<number> {
    const { now } = await this.#database.queries
      .selectNoFrom(this.#database.dialect.now().as('now'))
      .executeTakeFirstOrThrow();
    return now;
  }
}
