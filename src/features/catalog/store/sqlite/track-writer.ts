import type { Clock } from '../../../../common/clock.ts';
import { isAllowed, slugBase } from '../../../../common/text/slug.ts';
import type { BatchCause, BatchWriter } from '../../../../engines/sql/database.ts';
import type { BatchChange } from '../../../../engines/sql/logged-change.ts';
import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import { allocateSlug } from '../../../../engines/sql/sqlite/slug-allocator.ts';
import { parseStored } from '../../../../engines/sql/stored-value.ts';
import type { TrackState } from '../../../availability/availability.ts';
import {
  isSamePeriod,
  PERIOD_COLUMNS,
  type PeriodRow,
  Periods,
  stateColumns,
  TRACK_STATE,
} from '../../../availability/store/track-period.ts';
import { deliveryOf, type FormerTrack } from '../../batches.ts';
import type { CreatedTrack } from '../../catalog-stores.ts';
import type { TrackDelivery } from '../../track.ts';
import {
  type HiddenChange,
  type Redelivery,
  redelivery,
  withDelivered,
} from '../../track-edits.ts';
import { deliveredChange } from '../delivered-change.ts';
import { type ArtistRow, type FilterRow, References } from '../references.ts';
import { deliveredLists, listMembers } from '../track-lists.ts';
import {
  CONTENT_COLUMNS,
  type ContentValue,
  changedMembers,
  contentValues,
  createdTrack,
  isSameContent,
  type StoredContent,
  serializedTrack,
  TRACK_ROW_COLUMNS,
  type TrackRow,
} from '../track-row.ts';
import { BatchRecorder } from './batch-recorder.ts';
import { ArtistRegistry, FilterRegistry } from './registries.ts';
import { TrackLists } from './track-lists.ts';

/**
 * Greater than the row ids of all existing and removed tracks. SQLite alone would reuse those of removed
 * tracks.
 */
const NEXT_ROW_ID = `
  SELECT max(greatest, coalesce((SELECT max(row_id) FROM tracks), 0)) + 1 AS rowId
  FROM removed_numbers`;

const FIND = `
  SELECT row_id AS rowId, source, fingerprint, ${TRACK_STATE} AS state FROM tracks WHERE id = ?`;

const SELECT_EDITS = `
  SELECT slug, edits FROM track_edits JOIN tracks ON row_id = track_row_id WHERE track_row_id = ?`;

/** The columns that a delivery sets, in the order of `#values`. */
const COLUMNS = [...CONTENT_COLUMNS, 'fingerprint', 'updated_at', 'batch_row_id'];
const INSERT = `
  INSERT INTO tracks (row_id, id, slug, created_at, ${COLUMNS})
  VALUES (?, ?, ?, ?, ${COLUMNS.map(() => '?')}) ON CONFLICT (slug) DO NOTHING`;
const UPDATE = `UPDATE tracks SET ${COLUMNS.map((name) =>
  name === 'batch_row_id' ? `${name} = coalesce(?, ${name})` : `${name} = ?`,
)} WHERE row_id = ?`;

interface StoredEdits {
  slug: string;
  edits: string;
}

/** What is written of a track beside its content. */
interface Written {
  fingerprint: Uint8Array;
  /** Null if the batch that changed the track last stays. */
  batchRowId: number | null;
}

export interface KnownTrack {
  rowId: number;
  source: string;
  /** The fingerprint of the last delivery. */
  fingerprint: Uint8Array;
  state: TrackState;
}

/**
 * Writes deliveries into the tables of the catalog, one at a time, within the transactions of its caller.
 * Remembers the row ids of filters and artists between them.
 */
export class TrackWriter {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #batch: BatchRecorder;
  readonly #copies: boolean;
  readonly #filters: FilterRegistry;
  readonly #artists: ArtistRegistry;
  readonly #lists: TrackLists;
  #references: References;
  #periods = new Periods(0);
  #dataVersion = -1;
  /** The delivered values that this transaction changed, or would change, beneath edits. */
  hidden: HiddenChange[] = [];
  /** The live tracks that this transaction created. */
  created: CreatedTrack[] = [];
  /** Whether a track has edits; undefined before this transaction needs it. Most catalogs have none. */
  #hasEdits: boolean | undefined;
  /** The row id of the next track that this transaction creates; undefined before the first one. */
  #nextRowId: number | undefined;

  /** @param copies whether to keep the created tracks */
  constructor(database: Database, clock: Clock, batch: BatchRecorder, copies = false) {
    this.#database = database;
    this.#copies = copies;
    this.#clock = clock;
    this.#batch = batch;
    this.#filters = new FilterRegistry(database);
    this.#artists = new ArtistRegistry(database);
    this.#lists = new TrackLists(database);
    this.#references = referencesOn(database);
  }

  /** Call this first in each transaction: another process may have removed what is remembered. */
  begin(): void {
    const version = this.#database.dataVersion();
    if (version !== this.#dataVersion) this.forget();
    this.#dataVersion = version;
    this.#nextRowId = undefined;
    this.hidden = [];
    this.created = [];
    this.#hasEdits = undefined;
  }

  /** Call this when a transaction was rolled back. */
  forget(): void {
    this.#filters.forget();
    this.#artists.forget();
    this.#references = referencesOn(this.#database);
  }

  find(id: string): KnownTrack | undefined {
    const row = this.#database.prepare(FIND).get(id);
    return row as unknown as KnownTrack | undefined;
  }

  /** Whether a delivery would give a stored track more parts than it may have. */
  isCrowdedBy(delivery: TrackDelivery, { rowId }: KnownTrack): boolean {
    return this.#lists.isCrowdedBy(delivery, rowId);
  }

  /**
   * Updates a stored track, and returns the change to log. Returns undefined, and writes nothing, if the
   * delivery makes no difference.
   */
  update(track: KnownTrack, delivery: TrackDelivery, fingerprint: Buffer): BatchChange | undefined {
    const changed = this.#updateContent(track, delivery, fingerprint);
    const isWithdrawn = track.state === 'withdrawn';
    if (changed === undefined && !isWithdrawn) return undefined;
    // Stores nothing more if the content was stored above.
    if (isWithdrawn) this.#batch.keep(track.rowId, null);
    const state = this.#follow(track.rowId, isWithdrawn ? 'live' : track.state);
    return deliveredChange(delivery.id, track.state, state, changed);
  }

  /**
   * Gives a track the state and the territories of its availability, if it had this state without it. Returns the state.
   */
  #follow(rowId: number, state: TrackState): TrackState {
    const now = this.#clock.now();
    if (this.#periods.moment !== now) this.#periods = new Periods(now);
    const row = this.#database
      .prepare(`SELECT ${PERIOD_COLUMNS} FROM tracks WHERE row_id = ?`)
      .get(rowId) as unknown as PeriodRow;
    const period = this.#periods.of(row, state);
    if (isSamePeriod(row, period)) return period.state;
    const columns = stateColumns(period.state);
    const sql = `
      UPDATE tracks SET state = ?, withdrawn = ?, unavailable = ?, available_in = ?, next_switch_at = ?,
        updated_at = ?, batch_row_id = ? WHERE row_id = ?`;
    this.#database
      .prepare(sql)
      .run(
        ...[columns.state, Number(columns.withdrawn), Number(columns.unavailable)],
        ...[period.availableIn, period.nextSwitchAt, now, this.#batch.rowId(), rowId],
      );
    return period.state;
  }

  /** Returns the members that changed; undefined if the content is the same. */
  #updateContent(
    track: KnownTrack,
    delivery: TrackDelivery,
    fingerprint: Buffer,
  ): string[] | undefined {
    if (fingerprint.equals(track.fingerprint)) return undefined;
    const stored = this.#stored(track.rowId);
    const edited = this.#edited(track.rowId, delivery);
    const content = this.#content(edited.delivery, { stored });
    const lists = this.#lists.changes(track.rowId, delivery);
    const isHidden = edited.hidden.length > 0;
    if (lists === undefined && !isHidden && isSameContent(content, stored)) return undefined;
    this.#batch.keep(track.rowId, this.#document(track.rowId), lists?.before);
    this.#update(track.rowId, content, { fingerprint, batchRowId: this.#batch.rowId() });
    this.#storeHidden(track.rowId, edited);
    const changed = changedMembers(stored, content);
    if (lists === undefined) return changed;
    this.#lists.replace({ rowId: track.rowId, id: delivery.id, lists: lists.after });
    return [...changed, ...listMembers(lists)];
  }

  /**
   * Gives a track its former content, with its present edits, and returns the members that change. The caller records
   * which batch did that.
   */
  putBack(trackRowId: number, former: FormerTrack): string[] {
    const edited = this.#edited(trackRowId, deliveryOf(former));
    const stored = this.#stored(trackRowId);
    // Only fills stay of the stored track: what the delivery lacks was absent in the former one.
    const content = this.#content(edited.delivery, { stored: undefined, fills: stored });
    const changed = changedMembers(stored, content);
    this.#update(trackRowId, content, { fingerprint: former.fingerprint, batchRowId: null });
    this.#storeHidden(trackRowId, edited);
    const lists = this.#lists.putBack({ rowId: trackRowId, id: edited.delivery.id }, former);
    return [...changed, ...lists];
  }

  /** Returns the outcome that `update` would have. Writes nothing. */
  preview(track: KnownTrack, delivery: TrackDelivery, fingerprint: Buffer) {
    if (track.state === 'withdrawn') return 'updated';
    if (fingerprint.equals(track.fingerprint)) return 'unchanged';
    const edited = this.#edited(track.rowId, delivery);
    const artists = this.#artists.lookUp(edited.delivery.artists);
    const filters = this.#filters.lookUp(edited.delivery.filters);
    const isHidden = edited.hidden.length > 0;
    if (artists === undefined || filters === undefined || isHidden) return 'updated';
    const stored = this.#stored(track.rowId);
    const given = { stored, now: this.#clock.now() };
    const content = contentValues(edited.delivery, given, artists, filters);
    const isSame =
      isSameContent(content, stored) && this.#lists.changes(track.rowId, delivery) === undefined;
    return isSame ? 'unchanged' : 'updated';
  }

  /** Creates a track and returns its row id. The tracks of one transaction get consecutive row ids. */
  create(delivery: TrackDelivery, fingerprint: Buffer): number {
    const now = this.#clock.now();
    const written = { fingerprint, batchRowId: this.#batch.rowId() };
    const content = this.#content(delivery, { stored: undefined });
    const values = this.#values(content, written, now);
    this.#nextRowId ??= this.#database.prepare(NEXT_ROW_ID).get()!.rowId as number;
    const rowId = this.#nextRowId++;
    const insert = this.#database.prepare(INSERT);
    let slug = delivery.slug ?? slugBase('track', delivery.name, delivery.id);
    // Most slugs are free, so that looking them up first would cost more.
    const isInserted =
      isAllowed(slug) && insert.run(rowId, delivery.id, slug, now, ...values).changes === 1;
    if (!isInserted) {
      slug = allocateSlug(this.#database, 'track', slug);
      insert.run(rowId, delivery.id, slug, now, ...values);
    }
    this.#lists.add({ rowId, id: delivery.id, lists: deliveredLists(delivery) });
    const isLimited = (delivery.availability ?? []).length > 0;
    const state = isLimited ? this.#follow(rowId, 'live') : 'live';
    if (this.#copies && state === 'live') {
      this.created.push(createdTrack(delivery, { rowId, slug }, content));
    }
    return rowId;
  }

  #content(delivery: TrackDelivery, given: Omit<StoredContent, 'now'>): ContentValue[] {
    const artists = this.#artists.resolve(delivery.artists);
    const filters = this.#filters.resolve(delivery.filters);
    return contentValues(delivery, { ...given, now: this.#clock.now() }, artists, filters);
  }

  #update(rowId: number, content: readonly ContentValue[], written: Written): void {
    const values = this.#values(content, written, this.#clock.now());
    this.#database.prepare(UPDATE).run(...values, rowId);
  }

  #values(content: readonly ContentValue[], { fingerprint, batchRowId }: Written, now: number) {
    const values: (string | number | null | Uint8Array)[] = [];
    for (const value of content) values.push(typeof value === 'boolean' ? Number(value) : value);
    values.push(fingerprint, now, batchRowId);
    return values;
  }

  /** Applies the edits of a track to a delivery of it. */
  #edited(rowId: number, delivery: TrackDelivery): Redelivery {
    this.#hasEdits ??=
      this.#database.prepare('SELECT 1 FROM track_edits LIMIT 1').get() !== undefined;
    const select = this.#database.prepare(SELECT_EDITS);
    const row = this.#hasEdits ? (select.get(rowId) as StoredEdits | undefined) : undefined;
    if (row === undefined) return { delivery, edits: {}, hidden: [] };
    const { slug, edits } = row;
    const made = redelivery(delivery, { slug, edits: parseStored(edits) }, this.#clock.now());
    this.hidden.push(...made.hidden);
    return made;
  }

  /** Stores the delivered values that a delivery changes beneath edits. */
  #storeHidden(rowId: number, { edits, hidden }: Redelivery): void {
    if (hidden.length === 0) return;
    const sql = 'UPDATE track_edits SET edits = ? WHERE track_row_id = ?';
    this.#database.prepare(sql).run(JSON.stringify(edits), rowId);
  }

  /** Returns the stored values of CONTENT_COLUMNS. */
  #stored(rowId: number): ContentValue[] {
    const sql = `SELECT ${CONTENT_COLUMNS} FROM tracks WHERE row_id = ?`;
    return this.#database.prepareRows(sql).get(rowId) as unknown as ContentValue[];
  }

  #document(rowId: number): string {
    const sql = `
      SELECT ${TRACK_ROW_COLUMNS}, edits FROM tracks LEFT JOIN track_edits ON track_row_id = row_id
      WHERE row_id = ?`;
    const row = this.#database.prepare(sql).get(rowId) as unknown as TrackRow & {
      edits: string | null;
    };
    return withDelivered(serializedTrack(row, this.#references), row.edits);
  }
}

/** Returns the writer of a batch in the open transaction of the database. */
export function batchWriter(database: Database, clock: Clock, cause: BatchCause): BatchWriter {
  const recorder = new BatchRecorder(database, clock, cause, cause.undoes);
  const writer = new TrackWriter(database, clock, recorder);
  return {
    number: async () => recorder.rowId(),
    putBack: async (tracks) =>
      new Map(tracks.map(({ rowId, former }) => [rowId, writer.putBack(rowId, former)])),
    count: async (counted) => recorder.count(counted),
  };
}

/** Returns the artists and filters of the database, which are read when they are first needed. */
function referencesOn(database: Database): References {
  const read =
    <Row>(sql: string) =>
    (rowId: number) =>
      database.prepare(sql).get(rowId) as Row | undefined;
  return new References(
    read<ArtistRow>('SELECT row_id AS rowId, id, name FROM artists WHERE row_id = ?'),
    read<FilterRow>('SELECT row_id AS rowId, id, name, slug, type FROM filters WHERE row_id = ?'),
  );
}
