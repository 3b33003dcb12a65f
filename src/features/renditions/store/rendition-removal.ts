import type { SqlDatabase } from '../../../engines/sql/database.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { isUnnamed } from './rendition-rows.ts';

/** The renditions that an audio file has, unless its tracks begin their clips at different seconds. */
const OF_AUDIO = 3;

/** Implements `dropQueued` of the store. */
export async function dropQueued(
  database: SqlDatabase,
  audioKeys: readonly string[],
): Promise<number> {
  const { queries, dialect } = database;
  // Few have jobs, so most calls need no lock.
  const found = await queries
    .selectFrom('renditions')
    .select('audioKey')
    .where(({ ref }) => dialect.isOneOf(ref('audioKey'), audioKeys))
    .where('state', '=', 'queued')
    .distinct()
    .execute();
  if (found.length === 0) return 0;
  const keys = found.map(({ audioKey }) => audioKey);
  return database.apart(async (own) => {
    const { numDeletedRows } = await own
      .deleteFrom('renditions')
      .where(({ ref }) => dialect.isOneOf(ref('audioKey'), keys))
      .where('state', '=', 'queued')
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  });
}

/** Implements `dropUnnamed` of the store. */
export async function dropUnnamed(database: SqlDatabase, signal?: AbortSignal): Promise<number> {
  let dropped = 0;
  let last = '';
  const dropSome = async (rows: number) => {
    const found = await database.aside
      .selectFrom('renditions')
      .select('audioKey')
      .distinct()
      .where('audioKey', '>', last)
      .orderBy('audioKey')
      .limit(Math.ceil(rows / OF_AUDIO))
      .execute();
    const next = found.at(-1);
    if (next === undefined) return false;
    last = next.audioKey;
    dropped += await dropUnnamedOf(
      database,
      found.map(({ audioKey }) => audioKey),
    );
    return true;
  };
  await inSlices(dropSome, { between: () => database.settle(), signal });
  return dropped;
}

/** Implements `dropUnnamedOf` of the store. */
export async function dropUnnamedOf(
  database: SqlDatabase,
  audioKeys: readonly string[],
): Promise<number> {
  const { aside, dialect } = database;
  // Almost all are named, so most calls need no lock.
  const unnamed = await aside
    .selectFrom('renditions')
    .select('audioKey')
    .distinct()
    .where(({ ref }) => dialect.isOneOf(ref('audioKey'), audioKeys))
    .where('state', '!=', 'running')
    .where(isUnnamed)
    .execute();
  if (unnamed.length === 0) return 0;
  const keys = unnamed.map(({ audioKey }) => audioKey);
  const dropped = await database.discard((queries) =>
    queries
      .deleteFrom('renditions')
      .where(({ ref }) => dialect.isOneOf(ref('audioKey'), keys))
      .where('state', '!=', 'running')
      .where(isUnnamed)
      .returning('audioKey')
      .execute(),
  );
  return dropped.length;
}
