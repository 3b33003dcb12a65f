import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { BenchQuery, SearchQuery } from '../../queries/query.ts';

/**
 * A catalog in SQLite, searched as one plainly would with FTS5. A word of three letters or more is
 * found anywhere in a name, by its trigrams; a shorter one where it begins a word. There is no
 * search with typos, and no ranking: newest first, always.
 */
export class Fts5Catalog {
  readonly #database: DatabaseSync;
  readonly #filterNos: ReadonlyMap<string, number>;
  readonly #statements = new Map<string, StatementSync>();

  /** @param filterIds each filter's number is its place, from 1. */
  constructor(database: DatabaseSync, filterIds: readonly string[]) {
    this.#database = database;
    this.#filterNos = new Map(filterIds.map((id, i) => [id, i + 1]));
  }

  /** Counts all matches, reads the documents of the page, and counts facets where they are asked for. */
  ask(query: BenchQuery): unknown {
    if ('suggest' in query) {
      throw new Error('FTS5 is not asked for suggestions');
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

  #conditions({ question }: SearchQuery): { where: string; values: SQLInputValue[] } {
    const conditions: string[] = [];
    const values: SQLInputValue[] = [];
    const words = question.text?.split(' ') ?? [];
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
    if (question.type !== undefined) {
      conditions.push('type = ?');
      values.push(question.type);
    }
    if (question.hasVocals !== undefined) {
      conditions.push('has_vocals = ?');
      values.push(question.hasVocals ? 1 : 0);
    }
    for (const id of question.filterIds ?? []) {
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

/** A string of FTS5's query language. */
function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}
