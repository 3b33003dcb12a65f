import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import { insertRows } from '../../../engines/sql/insert-rows.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { MAX_MESSAGE_TRACKS, type TrackMessage } from '../track.ts';

/**
 * Records in which order messages decided about tracks, and of which releases these are. There is one row for each
 * release of a track. The changes are not logged. An undo of an import forgets the messages of the tracks that it changes.
 */
export class TrackMessageStore extends SqlStore {
  /** Returns when the last message about each of these tracks was created, for those of which there is one. */
  async sentAt(trackIds: readonly string[]): Promise<Map<string, number>> {
    const { queries, dialect } = this.database;
    const rows = await queries
      .selectFrom('trackMessages')
      .select(['trackId', 'sentAt'])
      .where(({ ref }) => dialect.isOneOf(ref('trackId'), trackIds))
      .execute();
    return new Map(rows.map(({ trackId, sentAt }) => [trackId, sentAt]));
  }

  /** Returns tracks of which one of these releases is recorded: those after an id, in the order of ids, 100 at most. */
  async tracksOf(
    releases: readonly string[],
    after: string,
  ): Promise<{ trackId: string; sentAt: number }[]> {
    const { queries, dialect } = this.database;
    return queries
      .selectFrom('trackMessages')
      .select(({ fn }) => ['trackId', fn.max<number>('sentAt').as('sentAt')])
      .where(({ ref }) => dialect.isOneOf(ref('release'), releases))
      .where('trackId', '>', after)
      .groupBy('trackId')
      .orderBy('trackId')
      .limit(MAX_MESSAGE_TRACKS)
      .execute();
  }

  /** Replaces what is recorded of each of these tracks, which differ: 100 at most. */
  async record(messages: readonly TrackMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const { dialect } = this.database;
    const rows = messages.flatMap(({ trackId, sentAt, releases }) =>
      (releases.length === 0 ? [''] : releases).map((release) => ({ trackId, release, sentAt })),
    );
    const types = { trackId: 'text', release: 'text', sentAt: 'integer' } as const;
    await this.database.apart(async (queries) => {
      const trackIds = messages.map(({ trackId }) => trackId);
      await forgetMessages(queries, dialect, trackIds);
      await insertRows(queries, dialect, 'trackMessages', types, rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    });
  }
}

/** Forgets the messages of tracks, so that any message decides about them again. */
export async function forgetMessages(
  queries: Queries,
  { isOneOf }: SqlDialect,
  trackIds: readonly string[],
): Promise<void> {
  await queries
    .deleteFrom('trackMessages')
    .where(({ ref }) => isOneOf(ref('trackId'), trackIds))
    .execute();
}
