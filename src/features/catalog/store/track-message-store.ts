import { sql } from 'kysely';
import type { Queries, SqlDatabase, SqlDialect } from '../../../engines/sql/database.ts';
import { MAX_TRACKS, type TrackMessage, type TrackMessageStore } from '../track-messages.ts';

/** The messages that decided about tracks, one row for each release of a track. */
export class SqlTrackMessageStore implements TrackMessageStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async sentAt(trackIds: readonly string[]): Promise<Map<string, number>> {
    const { queries, dialect } = this.#database;
    const rows = await queries
      .selectFrom('trackMessages')
      .select(['trackId', 'sentAt'])
      .where(({ ref }) => dialect.isOneOf(ref('trackId'), trackIds))
      .execute();
    return new Map(rows.map(({ trackId, sentAt }) => [trackId, sentAt]));
  }

  async tracksOf(
    releases: readonly string[],
    after: string,
  ): Promise<{ trackId: string; sentAt: number }[]> {
    const { queries, dialect } = this.#database;
    return queries
      .selectFrom('trackMessages')
      .select(({ fn }) => ['trackId', fn.max<number>('sentAt').as('sentAt')])
      .where(({ ref }) => dialect.isOneOf(ref('release'), releases))
      .where('trackId', '>', after)
      .groupBy('trackId')
      .orderBy('trackId')
      .limit(MAX_TRACKS)
      .execute();
  }

  async record(messages: readonly TrackMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const { dialect } = this.#database;
    const rows = messages.flatMap(({ trackId, sentAt, releases }) =>
      (releases.length === 0 ? [''] : releases).map((release) => ({ trackId, release, sentAt })),
    );
    const given = dialect.rows(
      'given',
      { trackId: 'text', release: 'text', sentAt: 'integer' },
      rows,
    );
    await this.#database.apart(async (queries) => {
      const trackIds = messages.map(({ trackId }) => trackId);
      await forgetMessages(queries, dialect, trackIds);
      await queries
        .insertInto('trackMessages')
        .columns(['trackId', 'release', 'sentAt'])
        .expression(({ selectFrom }) =>
          selectFrom(given)
            .select(['trackId', 'release', 'sentAt'])
            // SQLite would take ON CONFLICT for the condition of a join.
            .where(sql.lit(true)),
        )
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
