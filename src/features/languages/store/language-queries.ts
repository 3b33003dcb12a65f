import { type SqlBool, sql } from 'kysely';
import { compiledOnce, type Queries } from '../../../engines/sql/database.ts';

/** Selects the languages of live records, by one look-up for each of them in the index. */
const selectLanguagesOfRecords = compiledOnce((queries) =>
  queries
    .withRecursive('known(language)', (query) =>
      query
        .selectFrom('tracks')
        .select(({ fn }) => fn.min<string | null>('language').as('language'))
        .where('language', 'is not', null)
        .where(sql<SqlBool>`state = 'live'`)
        .unionAll(
          query
            .selectFrom('known')
            .select(({ selectFrom }) =>
              selectFrom('tracks')
                .select(({ fn }) => fn.min<string | null>('tracks.language').as('language'))
                .where('tracks.language', 'is not', null)
                .where(sql<SqlBool>`tracks.state = 'live'`)
                .whereRef('tracks.language', '>', 'known.language')
                .as('language'),
            )
            .where('known.language', 'is not', null),
        ),
    )
    .selectFrom('known')
    .select('language')
    .where('language', 'is not', null),
);

/** Likewise for the translations of tracks. */
const selectLanguagesOfTexts = compiledOnce((queries) =>
  queries
    .withRecursive('known(language)', (query) =>
      query
        .selectFrom('trackTexts')
        .select(({ fn }) => fn.min<string | null>('language').as('language'))
        .unionAll(
          query
            .selectFrom('known')
            .select(({ selectFrom }) =>
              selectFrom('trackTexts')
                .select(({ fn }) => fn.min<string | null>('trackTexts.language').as('language'))
                .whereRef('trackTexts.language', '>', 'known.language')
                .as('language'),
            )
            .where('known.language', 'is not', null),
        ),
    )
    .selectFrom('known')
    .select('language')
    .where('language', 'is not', null),
);

/** Selects the languages of filters and playlists, of which there are few. */
const selectOtherLanguages = compiledOnce((queries) =>
  queries
    .selectFrom('filterTexts')
    .select('language')
    .union(queries.selectFrom('playlistTexts').select('language')),
);

export async function languagesOfTexts(queries: Queries): Promise<string[]> {
  const rows = [
    ...(await selectLanguagesOfRecords(queries, {})),
    ...(await selectLanguagesOfTexts(queries, {})),
    ...(await selectOtherLanguages(queries, {})),
  ];
  return [...new Set(rows.map(({ language }) => language!))];
}
