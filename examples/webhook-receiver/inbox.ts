import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** A change of a track, in a message or in the feed. */
export type Change = { trackId: string; version?: number; type?: string };
/** A type of events. If `gaps` is not 0, messages are missing, and what they said is in the feed after `cursor`. */
export type Chain = { type: string; seq: number; cursor: string; gaps: number };
/** A message about tracks. Other messages have other members of `data`. */
export type Message = {
  type: string;
  data: Partial<Chain> & { previousSeq?: number; truncated?: boolean; items?: Change[] };
};

/** The file: the messages that were received, and what is known of tracks. */
export class Inbox {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`PRAGMA journal_mode = WAL;
      CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY);
      CREATE TABLE IF NOT EXISTS tracks (trackId TEXT PRIMARY KEY, version INTEGER, event TEXT);
      CREATE TABLE IF NOT EXISTS chains (type TEXT PRIMARY KEY, seq INTEGER, cursor TEXT, gaps INTEGER);`);
  }

  /** Begins to follow a type, at a position of the feed. */
  begin(type: string, cursor: string): void {
    this.#run('INSERT OR IGNORE INTO chains VALUES (?, 0, ?, 0)', type, cursor);
  }

  /** Stores a message in one transaction. Returns false if it was stored before. */
  receive(id: string, { type, data }: Message): boolean {
    this.#database.exec('BEGIN IMMEDIATE');
    const isNew = this.#run('INSERT OR IGNORE INTO messages VALUES (?)', id) > 0;
    const chain = this.#chain('type = ?', type);
    if (isNew && chain !== undefined && data.seq !== undefined) {
      for (const item of data.items ?? []) this.#store({ ...item, type });
      const hasGap = data.truncated || data.previousSeq! > chain.seq;
      const gaps = chain.gaps + (hasGap ? 1 : 0);
      // A message that arrives late, or behind a gap, does not move the position.
      const isNext = gaps === 0 && data.seq > chain.seq && data.cursor !== undefined;
      const cursor = isNext ? data.cursor! : chain.cursor;
      const set = 'UPDATE chains SET seq = ?, cursor = ?, gaps = ? WHERE type = ?';
      this.#run(set, Math.max(chain.seq, data.seq), cursor, gaps, type);
    }
    this.#database.exec('COMMIT');
    return isNew;
  }

  /** Returns a type of which messages are missing. */
  gap(): Chain | undefined {
    return this.#chain('gaps > 0');
  }

  /** Stores a page of the feed that was read for a gap. `isLast` closes it, unless there are newer ones. */
  catchUp(gap: Chain, changes: readonly Change[], cursor: string, isLast: boolean): void {
    for (const change of changes) this.#store(change);
    const set = 'UPDATE chains SET cursor = ?, gaps = iif(? AND gaps = ?, 0, gaps) WHERE type = ?';
    this.#run(set, cursor, Number(isLast), gap.gaps, gap.type);
  }

  /** Changes arrive in any order and repeatedly: only a later one replaces what is known. */
  #store({ trackId, version = 0, type = '' }: Change): void {
    const newer = 'UPDATE SET version = excluded.version, event = excluded.event';
    const upsert = `INSERT INTO tracks VALUES (?, ?, ?) ON CONFLICT DO ${newer}`;
    this.#run(`${upsert} WHERE excluded.version > tracks.version`, trackId, version, type);
  }

  #chain(where: string, ...values: SQLInputValue[]): Chain | undefined {
    const query = `SELECT * FROM chains WHERE ${where}`;
    return this.#database.prepare(query).get(...values) as Chain | undefined;
  }

  #run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }
}
