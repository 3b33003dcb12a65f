import { type SqlBool, sql } from 'kysely';
import type { Actor } from '../../../common/caller.ts';
import { newId } from '../../../common/ids.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import type { SourceProvenance } from '../provenance.ts';
import { SAYS_NOTHING } from './shown-provenance.ts';

type Member = keyof SourceProvenance;
const MEMBERS: readonly Member[] = ['ai', 'trainingAllowed'];

/** The provenance of tracks of which their supplier says nothing, by source. Each change is logged. */
export class SourceProvenanceStore extends SqlStore {
  /** The sources that have a default: a few. */
  async all(): Promise<(SourceProvenance & { source: string })[]> {
    return this.database.queries
      .selectFrom('sourceProvenance')
      .select(['source', 'ai', 'trainingAllowed'])
      .where(({ or, eb }) => or(MEMBERS.map((member) => eb(member, 'is not', null))))
      .orderBy('source')
      .execute();
  }

  /**
   * Sets members of the default of a source, and logs an update of each live track that says nothing of one that changed.
   * The default counts at once, and the updates follow in short transactions. If it is killed, run it again. Returns the
   * number of these tracks.
   */
  async set(source: string, given: Partial<SourceProvenance>, by: Actor): Promise<number> {
    const change = await this.#begin(source, given, by);
    if (change === undefined) return 0;
    const updated = await this.#logUpdates(source, change.members, by);
    await this.database.write(({ queries }) =>
      queries
        .updateTable('sourceProvenance')
        .set({ changing: null })
        .where('source', '=', source)
        // Another process may have begun a further change, for which it logs updates.
        .where('changing', '=', change.id)
        .execute(),
    );
    return updated;
  }

  /** Stores the default. Returns what the change concerns; undefined if there is nothing to do. */
  #begin(source: string, given: Partial<SourceProvenance>, by: Actor) {
    return this.database.write(async ({ queries, log }) => {
      const stored = await queries
        .selectFrom('sourceProvenance')
        .select(['ai', 'trainingAllowed', 'changing'])
        .where('source', '=', source)
        .executeTakeFirst();
      const before: SourceProvenance = {
        ai: stored?.ai ?? null,
        trainingAllowed: stored?.trainingAllowed ?? null,
      };
      const after = { ...before, ...given };
      const changed = MEMBERS.filter((member) => after[member] !== before[member]);
      const isUnfinished = (stored?.changing ?? null) !== null;
      if (changed.length === 0 && !isUnfinished) return undefined;
      const id = newId();
      await queries
        .insertInto('sourceProvenance')
        .values({ source, ...after, changing: id })
        .onConflict((on) => on.column('source').doUpdateSet({ ...after, changing: id }))
        .execute();
      if (changed.length > 0) {
        await log('source', [['updated', source, changed]], { by, batchId: null });
      }
      // It is not known what the unfinished change has logged.
      return { id, members: isUnfinished ? MEMBERS : changed };
    });
  }

  async #logUpdates(source: string, members: readonly Member[], by: Actor): Promise<number> {
    const isSilent = sql<SqlBool>`(${sql.raw(
      members.map((member) => SAYS_NOTHING[member]).join(' OR '),
    )})`;
    const { isOneOf } = this.database.dialect;
    let updated = 0;
    let last = 0;
    await inSlices(this.database, async (limit) => {
      // This search may read the whole source, so it runs before the lock is taken.
      const tracks = await this.database.queries
        .selectFrom('tracks')
        .select('rowId')
        .where('source', '=', source)
        .where('rowId', '>', last)
        .where(isSilent)
        .orderBy('rowId')
        .limit(limit)
        .execute();
      if (tracks.length === 0) return false;
      last = tracks.at(-1)!.rowId;
      updated += await this.database.write(async ({ queries, log }) => {
        const live = await queries
          .selectFrom('tracks')
          .select('id')
          .where(({ ref }) =>
            isOneOf(
              ref('rowId'),
              tracks.map(({ rowId }) => rowId),
            ),
          )
          .where('state', '=', 'live')
          .execute();
        const changes = live.map(({ id }) => ['updated', id, ['provenance']] as const);
        await log('track', changes, { by, batchId: null });
        return live.length;
      });
      return true;
    });
    return updated;
  }
}
