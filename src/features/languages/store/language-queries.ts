import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { compiledOnce, type Queries } from '../../../engines/sql/database.ts';

/** Makes a query of the languages of some rows of a table, by one look-up for each of them in the index. */
const selectLanguages = (table: 'tracks' | 'trackTexts', rows: RawBuilder<SqlBool>) => {
  const column = `${table}.language` as const;
  return compiledOnce((queries) =>
    queries
      .withRecursive('known(language)', (query) =>
        query
          .selectFrom(table)
          .select(({ fn }) => fn.min<string | null>('language').as('language'))
          .where(rows)
          .unionAll(
            query
              .selectFrom('known')
              .select(({ selectFrom }) =>
                selectFrom(table)
                  .select(({ fn }) => fn.min<string | null>(column).as('language'))
                  .where(rows)
                  .whereRef(column, '>', 'known.language')
                  .as('language'),
              )
              .where('known.language', 'is not', null),
          ),
      )
      .selectFrom('known')
      .select('language')
      .where('language', 'is not', null),
  );
};

const selectLanguagesOfRecords = selectLanguages(
  'tracks',
  sql`tracks.language IS NOT NULL AND tracks.state = 'live'`,
);

const selectLanguagesOfTexts = selectLanguages('trackTexts', sql`track_texts.language IS NOT NULL`);

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
