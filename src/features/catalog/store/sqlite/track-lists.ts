import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import type { FormerTrack } from '../../batches.ts';
import type { TrackDelivery } from '../../track.ts';
import { isCrowded } from '../../track-parts.ts';
import {
  deliveredLists,
  formerLists,
  type GivenLists,
  LISTS,
  type ListChanges,
  listChanges,
  listMembers,
  type WrittenLists,
} from '../track-lists.ts';

/** The statements of each list. */
const STATEMENTS = LISTS.map(([name, { table, where, select, order, item, columns, rows }]) => ({
  ...{ name, item, rows },
  select: `SELECT ${select} FROM ${table} WHERE track_row_id = ? AND ${where} ORDER BY ${order}`,
  remove: `DELETE FROM ${table} WHERE track_row_id = ? AND ${where}`,
  insert: `INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`,
}));

/** Reads and writes the lists of tracks, within the transactions of its caller. */
export class TrackLists {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds lists to a track that has none of the same names. */
  add(track: WrittenLists): void {
    for (const { name, rows, insert } of STATEMENTS) {
      const list = track.lists[name];
      if (list === undefined) continue;
      const statement = this.#database.prepare(insert);
      for (const row of rows(track, list)) statement.run(...row);
    }
  }

  /** Whether a delivery would give a stored track more parts than it may have. */
  isCrowdedBy(delivery: TrackDelivery, rowId: number): boolean {
    if ((delivery.stems ?? delivery.versions) === undefined) return false;
    const { stems = [], versions = [] } = this.#stored(rowId, { stems: [], versions: [] });
    return isCrowded(delivery, { stems: stems.length, versions: versions.length });
  }

  /** Returns how a delivery changes the lists of a stored track; undefined if it leaves them as they are. */
  changes(rowId: number, delivery: TrackDelivery): ListChanges | undefined {
    const stored = this.#stored(rowId, delivery);
    return listChanges(deliveredLists(delivery, stored), stored);
  }

  /** Gives a track these lists instead of those that it has. */
  replace(track: WrittenLists): void {
    for (const { name, remove } of STATEMENTS) {
      if (track.lists[name] !== undefined) this.#database.prepare(remove).run(track.rowId);
    }
    this.add(track);
  }

  /** Gives a track the lists that a batch kept of it. Returns the names of those that partners see and that change. */
  putBack(track: { rowId: number; id: string }, former: FormerTrack): string[] {
    const lists = formerLists(former);
    const changes = listChanges(lists, this.#stored(track.rowId, lists));
    if (changes !== undefined) this.replace({ ...track, lists: changes.after });
    return listMembers(changes);
  }

  /** Returns the stored ones of the lists that a track is given. */
  #stored(rowId: number, given: GivenLists): GivenLists {
    return Object.fromEntries(
      STATEMENTS.flatMap(({ name, select, item }) =>
        given[name] === undefined
          ? []
          : [[name, this.#database.prepare(select).all(rowId).map(item)]],
      ),
    );
  }
}
