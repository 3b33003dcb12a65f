import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  CHANGE_KINDS,
  type Change,
  type ChangeEntity,
  type ChangeFilter,
  type ChangeLog,
  type ExplainedChange,
  type LogBounds,
} from '../change-log/change-log.ts';
import { LOG_EPOCH } from '../change-log/positions.ts';
import type { Queries, SqlDatabase } from './database.ts';
import { HEAD_AT } from './logged-change.ts';
import { CREATIONS } from './migrations/first-schema/catalog.ts';
import { inSlices } from './slices.ts';
import { parseStored } from './stored-value.ts';

const CHANGE_COLUMNS = [
  ...(['seq', 'at', 'entity', 'kind', 'entityId', 'by'] as const),
  ...(['batchId', 'clientId', 'mode', 'changed'] as const),
] as const;

/**
 * How many changes one statement examines that has no index for what it searches. The log of years has millions, and other
 * requests must not wait for all of them.
 */
const WINDOW = 10_000;
/**
 * The change that created a track comes within so many changes after the time that the track has stored, unless the log was
 * ahead of the clock: its times never decrease.
 */
const SOON = 3 * WINDOW;

const IS_CREATION = sql.raw<SqlBool>(CREATIONS);

/** The condition of each member of a filter. */
const CONDITIONS: {
  [Member in keyof ChangeFilter]-?: (
    value: NonNullable<ChangeFilter[Member]>,
  ) => RawBuilder<SqlBool>;
} = {
  beforeSeq: (value) => sql`seq < ${value}`,
  entity: (value) => sql`entity = ${value}`,
  // As the index of ids, which contains only the end of each, and no creations of tracks.
  entityId: (value) => sql`substr(entity_id, 29) = substr(${value}, 29) AND entity_id = ${value}
    AND NOT (${IS_CREATION})`,
  kind: (value) => sql`kind = ${value}`,
  by: (value) => sql`by = ${value}`,
  batchId: (value) => sql`batch_id = ${value}`,
  source: (value) => sql`entity = 'track' AND EXISTS (
    SELECT 1 FROM tracks WHERE tracks.id = entity_id AND tracks.source = ${value})`,
  // Only the letters of ASCII, because SQLite does not know the cases of others.
  text: (value) =>
    sql`lower(coalesce(reason, '') || ' ' || coalesce(reference, '')) LIKE ${containing(value)} ESCAPE '!'`,
  since: (value) => sql`at >= ${value}`,
  until: (value) => sql`at <= ${value}`,
};

/**
 * Takedowns, withdrawals and removals are kept forever, because a partner may ask about them years later. So are
 * restorations: otherwise, a live track would seem to be taken down.
 */
const FORGETTABLE = sql`
  NOT (entity = 'track' AND kind IN ('taken_down', 'withdrawn', 'removed', 'restored'))`;

/** One writer at a time appends to the log (`SqlDatabase.write`), so the order of `seq` is the order of commits. */
export class SqlChangeLog implements ChangeLog {
  readonly #database: SqlDatabase;
  readonly watch: ChangeLog['watch'];

  /** @param watch by default, nothing is notified: followers poll, which costs microseconds on SQLite */
  constructor(database: SqlDatabase, watch: ChangeLog['watch'] = () => () => {}) {
    this.#database = database;
    this.watch = watch;
  }

  async since(seq: number, entities: readonly ChangeEntity[], limit: number): Promise<Change[]> {
    const all = Object.keys(CHANGE_KINDS) as ChangeEntity[];
    const wanted = all.filter((entity) => entities.includes(entity));
    if (wanted.length === 0) return [];
    const { queries } = this.#database;
    const later = queries
      .selectFrom('changeLog')
      .select(CHANGE_COLUMNS)
      .where('seq', '>', seq)
      .orderBy('seq')
      .limit(limit);
    if (wanted.length === all.length) return (await later.execute()).map(changeOf);
    // The index of each entity, so that a follower of clients does not read a million changes of tracks. One statement is
    // one consistent view: the second of two could see a later commit than the first.
    const [first, ...others] = wanted.map((entity) =>
      queries
        .selectFrom(later.where('entity', '=', sql.lit(entity)).as(`of_${entity}`))
        .select(CHANGE_COLUMNS),
    );
    const rows = others.reduce((union, other) => union.unionAll(other), first!);
    return (await rows.orderBy('seq').limit(limit).execute()).map(changeOf);
  }

  async latest(limit: number, filter: ChangeFilter = {}): Promise<ExplainedChange[]> {
    const { entityId, since, beforeSeq = Number.MAX_SAFE_INTEGER } = filter;
    const first =
      since === undefined ? 1 : ((await this.firstAt(since)) ?? Number.POSITIVE_INFINITY);
    const last = Math.min(beforeSeq - 1, await this.head());
    const isIndexed =
      entityId !== undefined || Object.values(filter).every((one) => one === undefined);
    const size = isIndexed ? Number.MAX_SAFE_INTEGER : WINDOW;
    const found = await this.#search(matchingIn(this.#database.queries, filter), {
      first,
      last,
      size,
      limit,
    });
    if (entityId === undefined) return found;
    const creations = await this.#creationsOf(entityId, { ...filter, beforeSeq: last + 1 });
    const all = [...found, ...creations.filter(({ seq }) => seq >= first)];
    return all.sort((one, other) => other.seq - one.seq).slice(0, limit);
  }

  /** Returns the newest matching changes. Examines `size` changes with each statement. */
  async #search(
    matching: ReturnType<typeof matchingIn>,
    { first, last, size, limit }: { first: number; last: number; size: number; limit: number },
  ): Promise<ExplainedChange[]> {
    const found: ExplainedChange[] = [];
    for (let end = last; end >= first; end -= size) {
      const rows = await matching
        .where('seq', '<=', end)
        .where('seq', '>', end - size)
        .limit(limit - found.length)
        .execute();
      found.push(...rows.map(changeOf));
      if (found.length === limit) break;
      await nextTurn();
    }
    return found;
  }

  /**
   * Returns the changes that created a track. No index has their ids. They come soon after the time that the track has
   * stored; what was removed since, only a walk over the log finds.
   */
  async #creationsOf(
    id: string,
    { beforeSeq, entityId: _, ...filter }: ChangeFilter & { beforeSeq: number },
  ): Promise<ExplainedChange[]> {
    const { entity = 'track', kind = 'created' } = filter;
    if (entity !== 'track' || kind !== 'created') return [];
    const matching = matchingIn(this.#database.queries, filter)
      .where(IS_CREATION)
      .where('entityId', '=', id);
    const last = beforeSeq - 1;
    const removals = matchingIn(this.#database.queries, { entity, kind: 'removed', entityId: id });
    if ((await removals.limit(1).execute()).length > 0) {
      return this.#search(matching, { first: 1, last, size: WINDOW, limit: last });
    }
    const track = await this.#database.queries
      .selectFrom('tracks')
      .select('createdAt')
      .where('id', '=', id)
      .executeTakeFirst();
    const from = track && (await this.firstAt(track.createdAt));
    if (from === undefined) return [];
    const end = Math.min(last, from + SOON - 1);
    const soon = await this.#search(matching, { first: from, last: end, size: WINDOW, limit: 1 });
    // A creation that has expired is not searched for.
    if (soon.length > 0 || (await this.bounds()).floorAt >= track!.createdAt) return soon;
    return this.#search(matching, { first: end + 1, last, size: WINDOW, limit: 1 });
  }

  async head(): Promise<number> {
    const { queries, dialect } = this.#database;
    const { head } = await queries
      .selectNoFrom(dialect.logHead.as('head'))
      .executeTakeFirstOrThrow();
    return head;
  }

  bounds(): Promise<LogBounds> {
    const { queries, dialect } = this.#database;
    return queries
      .selectFrom('changeLogFloor')
      .select([dialect.logHead.as('head'), sql.raw<number>(HEAD_AT).as('headAt')])
      .select(['seq as floor', 'at as floorAt'])
      .select(({ selectFrom }) =>
        selectFrom('settings').select('value').where('name', '=', LOG_EPOCH).as('epoch'),
      )
      .executeTakeFirstOrThrow();
  }

  async firstAt(time: number): Promise<number | undefined> {
    const first = await this.#database.queries
      .selectFrom('changeLog')
      .select('seq')
      .where('at', '>=', time)
      .orderBy('at')
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    return first?.seq;
  }

  async raiseFloor(before: number): Promise<void> {
    await this.#database.write(({ queries }) =>
      sql`
        UPDATE change_log_floor SET seq = passed.seq, at = passed.at
        FROM (SELECT seq, at FROM change_log
              WHERE entity = 'track' AND ${FORGETTABLE} AND seq <=
                (SELECT seq FROM change_log WHERE at < ${before} ORDER BY at DESC, seq DESC LIMIT 1)
              ORDER BY seq DESC LIMIT 1) AS passed
        WHERE change_log_floor.seq < passed.seq`.execute(queries),
    );
  }

  async expire(before: number, signal?: AbortSignal): Promise<number> {
    await this.raiseFloor(before);
    const { queries } = this.#database;
    let deleted = 0;
    let seq = 0;
    const expireSome = async (limit: number) => {
      const { rows } = await sql<ExpirySlice>`
        SELECT max(seq) AS last, count(*) FILTER (WHERE at < ${before}) AS old,
               count(*) FILTER (WHERE at < ${before} AND ${FORGETTABLE}) AS expired
        FROM (SELECT seq, at, entity, kind FROM change_log WHERE seq > ${seq}
              ORDER BY seq LIMIT ${limit}) AS slice`.execute(queries);
      const { last, old, expired } = rows[0]!;
      if (last === null) return false;
      if (expired > 0) deleted += await this.#forget(seq, last, before);
      seq = last;
      return old === limit;
    };
    await inSlices(this.#database, expireSome, { signal });
    return deleted;
  }

  /** Deletes what has expired after a `seq` and up to another. Returns the number of rows. */
  async #forget(after: number, last: number, before: number): Promise<number> {
    return this.#database.write(async ({ queries }) => {
      const { numDeletedRows } = await queries
        .deleteFrom('changeLog')
        .where(
          sql<SqlBool>`seq > ${after} AND seq <= ${last} AND at < ${before} AND ${FORGETTABLE}`,
        )
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    });
  }
}

/** Selects the changes that match all members of a filter except `beforeSeq`. The newest come first. */
function matchingIn(queries: Queries, { beforeSeq: _, ...wanted }: ChangeFilter) {
  let matching = queries
    .selectFrom('changeLog')
    .select([...CHANGE_COLUMNS, 'reason', 'reference'])
    .orderBy('seq', 'desc');
  for (const [member, value] of Object.entries(wanted)) {
    if (value === undefined) continue;
    matching = matching.where(CONDITIONS[member as keyof typeof wanted](value as never));
  }
  return matching;
}

/** The next rows of the log. */
interface ExpirySlice {
  /** The last `seq`; null after the end of the log. */
  last: number | null;
  /** The number of rows before the given time, and the number of those that may be deleted. */
  old: number;
  expired: number;
}

function changeOf<Row extends { changed: string | null }>(
  row: Row,
): Omit<Row, 'changed'> & Pick<Change, 'changed'> {
  return { ...row, changed: row.changed === null ? null : parseStored(row.changed) };
}

/** Returns the pattern of LIKE for texts that contain this one. */
function containing(text: string): string {
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return `%${lower.replace(/[!%_]/g, '!$&')}%`;
}
