import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { RowIdSet } from '../../../engines/search/row-id-set.ts';
import type { Queries, SqlDatabase, SqlDialect } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { TrackState } from '../../availability/availability.ts';
import { TRACK_STATE } from '../../availability/store/track-period.ts';
import type { StoredCredit } from '../../catalog/store/references.ts';
import type { FoundTrack, TrackQuery } from '../found-track.ts';
import { foldedText, keysOf, soundsOf } from '../found-track.ts';

/** The row ids that the first step covers, which is often enough, and the most: some 50 ms, and few requests to a server. */
const FIRST_RANGE = 1_000;
const RANGE = 50_000;
/** The rows of one step. Without words, all rows of a range are found, and few are wanted. */
const MAX_ROWS = 1_000;
/** The artists that one step reads. */
const SLICE = 5_000;
/** The database does not check a word that the names of more artists have. */
const MAX_ARTISTS = 20;

export function selectFound(queries: Queries) {
  return queries
    .selectFrom('tracks')
    .select(['rowId', 'id', 'slug', 'name', 'artists', 'source', 'externalId', 'isrc'])
    .select(sql<TrackState>`${sql.raw(TRACK_STATE)}`.as('state'));
}

type FoundRow = Awaited<ReturnType<ReturnType<typeof selectFound>['execute']>>[number];

/**
 * Reads all tracks, or the tracks of a source, and yields the matches. Looks for words in the table of artists first, so
 * that a track needs only the row ids of its artists. The database leaves out most of the other tracks; this function
 * checks the rest, because the database does not fold texts.
 */
export async function* matchingTracks(
  { queries, dialect }: Pick<SqlDatabase, 'queries' | 'dialect'>,
  query: TrackQuery,
): AsyncGenerator<FoundTrack[]> {
  const artists = await artistsWith(queries, query.words);
  const keys = query.words.map(keysOf);
  const likely = query.words.flatMap((word, place) => mayHave(word, artists[place]!));
  const { end } = await queries
    .selectFrom('tracks')
    .select(sql<number>`coalesce(max(row_id), 0)`.as('end'))
    .executeTakeFirstOrThrow();
  let after = 0;
  for (let range = FIRST_RANGE; after < end; range = Math.min(RANGE, 4 * range)) {
    let select = inRange(queries, { after, to: after + range }, query);
    for (const condition of likely) select = select.where(condition);
    const rows = await select.orderBy('rowId').limit(MAX_ROWS).execute();
    const found = rows.filter((row) => hasWords(row, query.words, { keys, artists }));
    if (found.length > 0) yield await withArtists(queries, dialect, found);
    after = rows.length < MAX_ROWS ? after + range : rows.at(-1)!.rowId;
    await nextTurn();
  }
}

/** Whether only folding shows which ASCII words a name has: SQL knows neither accents nor apostrophes. */
const NEEDS_FOLDING = [
  sql<SqlBool>`octet_length(name) <> length(name)`,
  sql<SqlBool>`name LIKE '%''%'`,
  sql<SqlBool>`name LIKE '%\`%'`,
  sql<SqlBool>`octet_length(external_id) <> length(external_id)`,
  sql<SqlBool>`external_id LIKE '%''%'`,
];

/** Returns the condition for tracks that may have a word. None for a word of many artists. */
function mayHave(word: string, artists: RowIdSet): RawBuilder<SqlBool>[] {
  if (artists.size > MAX_ARTISTS) return [];
  // A folded word has letters and digits only, which stand for themselves in a pattern.
  const pattern = `%${word.trim()}%`;
  const conditions = [
    sql<SqlBool>`slug LIKE ${pattern}`,
    sql<SqlBool>`lower(name) LIKE ${pattern}`,
    sql<SqlBool>`lower(external_id) LIKE ${pattern}`,
    sql<SqlBool>`lower(isrc) LIKE ${pattern}`,
    sql<SqlBool>`id LIKE ${pattern}`,
    ...NEEDS_FOLDING,
    ...[...artists.rowIds()].map((rowId) => sql<SqlBool>`artists LIKE ${`%[${rowId},%`}`),
  ];
  return [sql<SqlBool>`(${sql.join(conditions, sql` OR `)})`];
}

export async function withArtists(
  queries: Queries,
  { isOneOf }: SqlDialect,
  rows: readonly FoundRow[],
): Promise<FoundTrack[]> {
  const credits = rows.map(({ artists }) => creditedArtists(artists));
  const named = await queries
    .selectFrom('artists')
    .select(['rowId', 'name'])
    .where(({ ref }) => isOneOf(ref('rowId'), [...new Set(credits.flat())]))
    .execute();
  const names = new Map(named.map(({ rowId, name }) => [rowId, name]));
  return rows.map((row, place) => ({
    ...row,
    artists: [...new Set(credits[place]!.flatMap((rowId) => names.get(rowId) ?? []))],
  }));
}

function inRange(
  queries: Queries,
  { after, to }: { after: number; to: number },
  { source, state }: TrackQuery,
) {
  let select = selectFound(queries).where('rowId', '>', after).where('rowId', '<=', to);
  if (source !== undefined) select = select.where('source', '=', source);
  if (state === undefined) return select;
  return select.where(sql<TrackState>`${sql.raw(TRACK_STATE)}`, '=', state);
}

/** Returns the artists whose names have each word. */
async function artistsWith(queries: Queries, words: readonly string[]): Promise<RowIdSet[]> {
  const sets = words.map(() => new RowIdSet());
  const keys = words.map(keysOf);
  if (words.length === 0) return sets;
  for await (const artists of allArtists(queries)) {
    for (const { rowId, name } of artists) {
      const text = foldedText(name);
      words.forEach((word, place) => {
        if (text.includes(word) || sounds(name, keys[place]!)) sets[place]!.add(rowId);
      });
    }
  }
  return sets;
}

/** Yields all artists in slices, in the order of row ids. */
export async function* allArtists(queries: Queries) {
  for (let last = 0; ; ) {
    const rows = await queries
      .selectFrom('artists')
      .select(['rowId', 'name'])
      .where('rowId', '>', last)
      .orderBy('rowId')
      .limit(SLICE)
      .execute();
    yield rows;
    if (rows.length < SLICE) return;
    last = rows.at(-1)!.rowId;
    await nextTurn();
  }
}

function hasWords(
  { name, slug, id, externalId, isrc, artists: credits }: FoundRow,
  words: readonly string[],
  { keys, artists }: { keys: readonly string[][]; artists: readonly RowIdSet[] },
): boolean {
  if (words.length === 0) return true;
  const text = foldedText(name, slug, id, externalId, isrc);
  return words.every(
    (word, place) =>
      text.includes(word) ||
      sounds(name, keys[place]!) ||
      creditedArtists(credits).some((rowId) => artists[place]!.has(rowId)),
  );
}

/** Whether a name in another script has a word with one of these keys. */
function sounds(name: string, keys: readonly string[]): boolean {
  if (keys.length === 0) return false;
  const sound = soundsOf(name);
  return keys.some((key) => sound.includes(key));
}

/** Returns the row ids of the artists of a stored list of credits. */
export function creditedArtists(json: string): number[] {
  return parseStored<StoredCredit[]>(json).map(([rowId]) => rowId);
}
