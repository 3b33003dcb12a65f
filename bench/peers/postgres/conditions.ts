/** The `WHERE` of a query, and the values of its placeholders. */
export interface Conditions {
  where: string;
  values: unknown[];
}

/**
 * Reads the query parameters of Stave. The name must contain every word. With `typos`, pg_trgm must find the
 * whole text similar to a part of the name, and the text is the first value.
 */
export function conditionsOf(
  query: Readonly<Record<string, string>>,
  filterNos: ReadonlyMap<string, number>,
  { typos = false } = {},
): Conditions {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const add = (value: unknown, condition: (placeholder: string) => string) => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  const { search, type, hasVocals, filterIds } = query;
  if (search !== undefined && typos) {
    add(search, (text) => `${text} <% name`);
  } else if (search !== undefined) {
    for (const word of search.split(' ')) {
      add(`%${word.replace(/[\\%_]/g, '\\$&')}%`, (pattern) => `name ILIKE ${pattern}`);
    }
  }
  if (type !== undefined) {
    add(type, (value) => `type = ${value}`);
  }
  if (hasVocals !== undefined) {
    add(hasVocals === 'true', (value) => `has_vocals = ${value}`);
  }
  if (filterIds !== undefined) {
    const nos = filterIds.split(',').map((id) => filterNos.get(id) ?? 0);
    add(nos, (list) => `filter_nos @> ${list}::integer[]`);
  }
  return { where: conditions.join(' AND ') || 'true', values };
}

/** Orders by similarity, for conditions whose first value is the text. */
export const TYPO_ORDER = '$1 <<-> name, released_at DESC, id';

/** Statements that count the facets of a result: filters, types and vocals. */
export const FACETS: readonly ((where: string) => string)[] = [
  (where) => `SELECT filters.id, counted."trackCount"
    FROM (SELECT unnest(filter_nos) AS no, count(*)::integer AS "trackCount"
          FROM tracks WHERE ${where} GROUP BY 1) AS counted
    JOIN filters USING (no) ORDER BY 2 DESC`,
  (where) => `SELECT type, count(*)::integer AS "trackCount" FROM tracks WHERE ${where} GROUP BY 1`,
  (where) => `SELECT has_vocals AS "hasVocals", count(*)::integer AS "trackCount"
    FROM tracks WHERE ${where} GROUP BY 1`,
];
