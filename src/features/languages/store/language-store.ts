import type { Actor } from '../../../common/caller.ts';
import { isUuid } from '../../../common/ids.ts';
import type { Queries, WriteTransaction } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import {
  type FilterName,
  type FilterTranslation,
  type LanguageCount,
  type PlaylistText,
  TRANSLATIONS,
  type TrackText,
  type TrackTexts,
  unknownFilter,
  unknownPlaylist,
} from '../translations.ts';
import { languagesOfTexts } from './language-queries.ts';

/** The texts of tracks, filters and playlists in other languages. Imports write those of tracks. */
export class LanguageStore extends SqlStore {
  /** The texts of live tracks, by row id. Tracks without any of the texts, and without a language, are absent. */
  trackTexts(
    rowIds: readonly number[],
    languages: readonly string[],
  ): Promise<Map<number, TrackTexts>> {
    return this.#textsOf(this.database.queries, rowIds, languages);
  }

  /** Likewise for thousands of tracks, when no request waits. */
  manyTrackTexts(
    rowIds: readonly number[],
    languages: readonly string[],
  ): Promise<Map<number, TrackTexts>> {
    return this.#textsOf(this.database.aside, rowIds, languages);
  }

  async textsOfTrack(id: string, languages: readonly string[]): Promise<TrackTexts | undefined> {
    const { queries } = this.database;
    const rows = await this.#textRows(queries, languages).where('tracks.id', '=', id).execute();
    return rows.length === 0 ? undefined : textsOf(rows);
  }

  /** The languages of all translations and of live records, in any order. */
  async available(): Promise<string[]> {
    return languagesOfTexts(this.database.queries);
  }

  /** The translations by language, in the order of the codes. Takes about a second for a million texts. */
  async counts(): Promise<LanguageCount[]> {
    const { aside } = this.database;
    const tracks = await aside
      .selectFrom('trackTexts')
      .innerJoin('tracks', 'tracks.rowId', 'trackTexts.trackRowId')
      .select(({ fn }) => ['trackTexts.language', fn.countAll<number>().as('count')])
      .where('state', '=', 'live')
      .groupBy('trackTexts.language')
      .execute();
    const count = (table: 'filterTexts' | 'playlistTexts') =>
      aside
        .selectFrom(table)
        .select(({ fn }) => ['language', fn.countAll<number>().as('count')])
        .groupBy('language')
        .execute();
    const all = {
      tracks,
      filters: await count('filterTexts'),
      playlists: await count('playlistTexts'),
    };
    const found = new Map<string, LanguageCount>();
    for (const member of ['tracks', 'filters', 'playlists'] as const) {
      for (const { language, count } of all[member]) {
        const known = found.get(language) ?? { language, tracks: 0, filters: 0, playlists: 0 };
        found.set(language, { ...known, [member]: count });
      }
    }
    return [...found.values()].sort((a, b) => (a.language < b.language ? -1 : 1));
  }

  filterNames(): Promise<FilterName[]> {
    return this.database.queries
      .selectFrom('filterTexts')
      .innerJoin('filters', 'filters.rowId', 'filterTexts.filterRowId')
      .select(['filters.id as filterId', 'filterTexts.language', 'filterTexts.name'])
      .execute();
  }

  /**
   * Sets and removes names of filters, all or none. Returns the number of filters that changed; logs
   * `filter.updated` for each of them. Throws not_found for an unknown filter.
   */
  translateFilters(names: readonly FilterTranslation[], by: Actor): Promise<number> {
    return this.database.write(async (transaction) => {
      const changed = new Set<string>();
      for (const { filter, language, name } of names) {
        const { rowId, id } = await existingFilter(transaction.queries, filter);
        if (await setFilterName(transaction.queries, rowId, language, name)) changed.add(id);
      }
      const changes = [...changed].map((id) => ['updated', id, [TRANSLATIONS]] as const);
      await transaction.log('filter', changes, { by, batchId: null });
      return changed.size;
    });
  }

  /** The texts of playlists in some languages, by the id of the playlist. */
  async playlistTexts(
    ids: readonly string[],
    languages: readonly string[],
  ): Promise<Map<string, PlaylistText[]>> {
    const { isOneOf } = this.database.dialect;
    const rows = await this.database.queries
      .selectFrom('playlists')
      .innerJoin('playlistTexts', 'playlistTexts.playlistRowId', 'playlists.rowId')
      .select(['playlists.id', 'playlistTexts.language'])
      .select(['playlistTexts.name', 'playlistTexts.description'])
      .where(({ ref }) => isOneOf(ref('playlists.id'), ids))
      .where(({ ref }) => isOneOf(ref('playlistTexts.language'), languages))
      .execute();
    return new Map(
      [...Map.groupBy(rows, ({ id }) => id)].map(([id, texts]) => [
        id,
        texts.map(({ language, name, description }) => ({ language, name, description })),
      ]),
    );
  }

  /**
   * Sets the texts of a playlist in a language; null removes them. Returns whether that changes anything, and logs
   * `playlist.updated` then. Throws not_found.
   */
  translatePlaylist(
    id: string,
    language: string,
    text: Omit<PlaylistText, 'language'> | null,
    by: Actor,
  ): Promise<boolean> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const playlist = await queries
        .selectFrom('playlists')
        .select('rowId')
        .where('id', '=', id)
        .executeTakeFirst();
      if (playlist === undefined) throw unknownPlaylist(id);
      const isChanged = await setPlaylistText(transaction, playlist.rowId, language, text);
      if (!isChanged) return false;
      await queries
        .updateTable('playlists')
        .set({ updatedAt: this.clock.now() })
        .where('rowId', '=', playlist.rowId)
        .execute();
      const change = ['updated', id, [TRANSLATIONS]] as const;
      await transaction.log('playlist', [change], { by, batchId: null });
      return true;
    });
  }

  async #textsOf(
    queries: Queries,
    rowIds: readonly number[],
    languages: readonly string[],
  ): Promise<Map<number, TrackTexts>> {
    const rows = await this.#textRows(queries, languages)
      .where(({ ref }) => this.database.dialect.isOneOf(ref('tracks.rowId'), rowIds))
      .execute();
    return new Map(
      [...Map.groupBy(rows, ({ rowId }) => rowId)].map(([rowId, some]) => [rowId, textsOf(some)]),
    );
  }

  #textRows(queries: Queries, languages: readonly string[]) {
    const { isOneOf } = this.database.dialect;
    return queries
      .selectFrom('tracks')
      .leftJoin('trackTexts', (join) =>
        join
          .onRef('trackTexts.trackRowId', '=', 'tracks.rowId')
          .on(({ ref }) => isOneOf(ref('trackTexts.language'), languages)),
      )
      .select(['tracks.rowId', 'tracks.language as own', 'trackTexts.language'])
      .select(['trackTexts.name', 'trackTexts.tags'])
      .where('state', '=', 'live');
  }
}

interface TextRow {
  own: string | null;
  language: string | null;
  name: string | null;
  tags: string | null;
}

function textsOf(rows: readonly TextRow[]): TrackTexts {
  return {
    language: rows[0]!.own,
    texts: rows.flatMap(({ language, name, tags }): TrackText[] =>
      language === null || name === null
        ? []
        : [{ language, name, tags: tags === null ? null : parseStored<string[]>(tags) }],
    ),
  };
}

async function existingFilter(queries: Queries, slugOrId: string) {
  const filter = await queries
    .selectFrom('filters')
    .select(['rowId', 'id'])
    .where(isUuid(slugOrId) ? 'id' : 'slug', '=', slugOrId.toLowerCase())
    .executeTakeFirst();
  if (filter === undefined) {
    const all = await queries.selectFrom('filters').select('slug').execute();
    throw unknownFilter(
      slugOrId,
      all.map(({ slug }) => slug),
    );
  }
  return filter;
}

/** Returns whether this changes anything. */
async function setFilterName(
  queries: Queries,
  filterRowId: number,
  language: string,
  name: string | null,
): Promise<boolean> {
  const stored = await queries
    .selectFrom('filterTexts')
    .select('name')
    .where('filterRowId', '=', filterRowId)
    .where('language', '=', language)
    .executeTakeFirst();
  if ((stored?.name ?? null) === name) return false;
  await queries
    .deleteFrom('filterTexts')
    .where('filterRowId', '=', filterRowId)
    .where('language', '=', language)
    .execute();
  if (name !== null) {
    await queries.insertInto('filterTexts').values({ filterRowId, language, name }).execute();
  }
  return true;
}

/** Returns whether this changes anything. */
async function setPlaylistText(
  { queries }: WriteTransaction,
  playlistRowId: number,
  language: string,
  text: Omit<PlaylistText, 'language'> | null,
): Promise<boolean> {
  const stored = await queries
    .selectFrom('playlistTexts')
    .select(['name', 'description'])
    .where('playlistRowId', '=', playlistRowId)
    .where('language', '=', language)
    .executeTakeFirst();
  if (stored?.name === text?.name && stored?.description === text?.description) return false;
  await queries
    .deleteFrom('playlistTexts')
    .where('playlistRowId', '=', playlistRowId)
    .where('language', '=', language)
    .execute();
  if (text !== null) {
    const { name, description } = text;
    await queries
      .insertInto('playlistTexts')
      .values({ playlistRowId, language, name, description })
      .execute();
  }
  return true;
}
