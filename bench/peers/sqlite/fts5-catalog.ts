import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { BenchQuery, SearchQuery } from '../../queries/query.ts';

/**
 * A catalog in SQLite that is searched with FTS5. A word of three letters or more is found anywhere in a name,
 * by trigrams, and a shorter word at the beginning of a word. There is no search with typos and no ranking: the
 * order is always newest first.
 */
export class Fts5Catalog {
  readonly #database: DatabaseSync;
  readonly #filterNos: ReadonlyMap<string, number>;
  readonly #statements = new Map<string, StatementSync>();

  /** @param filterIds the number of a filter is its position in this list, from 1. */
  constructor(database: DatabaseSync, filterIds: readonly string[]) {
    this.#database = database;
    this.#filterNos = new Map(filterIds.map((id, i) => [id, i + 1]));
  }

  /** Counts all matches, reads the documents of the page, and counts facets if they are requested. */
  run(query: BenchQuery): unknown {
    if ('suggest' in query) {
      throw new Error('suggestions are not measured with FTS5');
    }
    const { where, values } = this.#conditions(query);
    const { page, pageSize, facets } = query;
    return {
      total: this.#rows(`SELECT count(*) AS total FROM tracks WHERE ${where}`, values),
      documents: this.#rows(
        `SELECT document FROM tracks WHERE ${where} ORDER BY released_at DESC, no LIMIT ? OFFSET ?`,
        [...values, pageSize, (page - 1) * pageSize],
      ),
      facets: facets && this.#facets(where, values),
    };
  }

  #conditions({ indexQuery }: SearchQuery): { where: string; values: SQLInputValue[] } {
    const conditions: string[] = [];
    const values: SQLInputValue[] = [];
    const words = indexQuery.text?.split(' ') ?? [];
    const long = words.filter((word) => word.length >= 3).map(quoted);
    const short = words.filter((word) => word.length < 3).map((word) => `${quoted(word)}*`);
    if (long.length > 0) {
      conditions.push('no IN (SELECT rowid FROM pieces WHERE pieces MATCH ?)');
      values.push(long.join(' AND '));
    }
    if (short.length > 0) {
      conditions.push('no IN (SELECT rowid FROM words WHERE words MATCH ?)');
      values.push(short.join(' AND '));
    }
    if (indexQuery.type !== undefined) {
      conditions.push('type = ?');
      values.push(indexQuery.type);
    }
    if (indexQuery.hasVocals !== undefined) {
      conditions.push('has_vocals = ?');
      values.push(indexQuery.hasVocals ? 1 : 0);
    }
    for (const id of indexQuery.filterIds ?? []) {
      conditions.push('no IN (SELECT track_no FROM track_filters WHERE filter_no = ?)');
      values.push(this.#filterNos.get(id) ?? 0);
    }
    return { where: conditions.join(' AND ') || 'true', values };
  }

  #facets(where: string, values: SQLInputValue[]): unknown {
    return [
      `SELECT filter_no, count(*) FROM track_filters
       WHERE track_no IN (SELECT no FROM tracks WHERE ${where}) GROUP BY filter_no`,
      `SELECT type, count(*) FROM tracks WHERE ${where} GROUP BY type`,
      `SELECT has_vocals, count(*) FROM tracks WHERE ${where} GROUP BY has_vocals`,
    ].map((sql) => this.#rows(sql, values));
  }

  #rows(sql: string, values: SQLInputValue[]): unknown[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...values);
  }
}

/** Returns a string of the query language of FTS5. */
function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}
