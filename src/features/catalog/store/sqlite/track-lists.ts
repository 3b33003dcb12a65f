import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import { parseStored } from '../../../../engines/sql/stored-value.ts';
import { TRANSLATIONS, type TrackText, textChange } from '../../../languages/translations.ts';
import type { FormerTrack } from '../../batches.ts';
import type { TrackDelivery } from '../../track.ts';
import { partChanges } from '../../track-parts.ts';
import { mergedWriters, type Writer, writerChange } from '../../writers.ts';
import type { ListChanges } from '../former-lists.ts';
import { changedLists, deliveredLists, listsOf } from '../former-parts.ts';
import { PartTable } from './part-table.ts';
import { TextTable } from './text-table.ts';
import { WriterTable } from './writer-table.ts';

/** A stored track, by both of its ids. */
interface StoredTrack {
  rowId: number;
  id: string;
}

/**
 * Reads and writes what a track has in tables of its own: writers, parts and translations. Works within the transactions
 * of its caller.
 */
export class TrackLists {
  readonly #writers: WriterTable;
  readonly #parts: PartTable;
  readonly #texts: TextTable;

  constructor(database: Database) {
    this.#writers = new WriterTable(database);
    this.#parts = new PartTable(database);
    this.#texts = new TextTable(database);
  }

  /** Adds the lists of a new track. */
  add(rowId: number, delivery: TrackDelivery): void {
    const { id, writers, stems, versions, translations } = delivery;
    if (writers !== undefined) this.#writers.add(rowId, mergedWriters(writers, []));
    if ((stems ?? versions) !== undefined) this.#parts.replace({ rowId, id }, delivery);
    if (translations !== undefined) this.#texts.add(rowId, translations);
  }

  /** Whether a delivery would give a stored track more parts than it may have. */
  isCrowdedBy(delivery: TrackDelivery, rowId: number): boolean {
    return this.#parts.isCrowdedBy(delivery, rowId);
  }

  /** Returns how a delivery changes the lists of a stored track; undefined if it leaves them as they are. */
  changes(rowId: number, delivery: TrackDelivery): ListChanges | undefined {
    const { writers, stems, versions, translations } = delivery;
    const changes = {
      writers: writers && writerChange(writers, this.#writers.of(rowId)),
      parts:
        (stems ?? versions) === undefined
          ? undefined
          : partChanges(delivery, this.#parts.of(rowId)),
      texts: translations && textChange(translations, this.#texts.of(rowId)),
    };
    return (changes.writers ?? changes.parts ?? changes.texts) === undefined ? undefined : changes;
  }

  /** Writes the changes. */
  replace(track: StoredTrack, { writers, parts, texts }: ListChanges): void {
    if (writers !== undefined) this.#writers.replace(track.rowId, writers.after);
    if (parts !== undefined) this.#parts.replace(track, listsOf(parts));
    if (texts !== undefined) this.#texts.replace(track.rowId, texts.after);
  }

  /** Gives a track the lists that a batch kept of it. Returns the names of those that partners see and that change. */
  putBack(track: StoredTrack, former: FormerTrack): string[] {
    const { writers, translations } = former;
    if (writers !== null) {
      this.#writers.replace(track.rowId, parseStored<Writer[]>(writers));
    }
    const parts = partChanges(deliveredLists(former), this.#parts.of(track.rowId));
    if (parts !== undefined) this.#parts.replace(track, listsOf(parts));
    if (translations === null) return changedLists(parts);
    this.#texts.replace(track.rowId, parseStored<TrackText[]>(translations));
    return [...changedLists(parts), TRANSLATIONS];
  }
}
