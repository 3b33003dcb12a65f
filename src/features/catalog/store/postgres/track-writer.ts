import type { Clock } from '../../../../common/clock.ts';
import { slugBase } from '../../../../common/text/slug.ts';
import type { BatchCause, BatchWriter } from '../../../../engines/sql/database.ts';
import type { BatchChange } from '../../../../engines/sql/logged-change.ts';
import type { Transaction, Value } from '../../../../engines/sql/postgres/database.ts';
import { allocateSlugs } from '../../../../engines/sql/postgres/slug-allocator.ts';
import { postgresDialect, queriesIn } from '../../../../engines/sql/postgres/sql-database.ts';
import { parseStored } from '../../../../engines/sql/stored-value.ts';
import type { TrackState } from '../../../availability/availability.ts';
import { followPeriods, selectPeriods } from '../../../availability/store/track-period.ts';
import { deliveryOf, type FormerTrack } from '../../batches.ts';
import type { CreatedTrack } from '../../catalog-stores.ts';
import type { TrackDelivery } from '../../track.ts';
import { type HiddenChange, type Redelivery, redelivery } from '../../track-edits.ts';
import { deliveredChange } from '../delivered-change.ts';
import { deliveredLists, listMembers } from '../track-lists.ts';
import {
  CONTENT_COLUMNS,
  type ContentValue,
  changedMembers,
  contentValues,
  createdTrack,
  isSameContent,
  type StoredContent,
} from '../track-row.ts';
import { BatchRecorder } from './batch-recorder.ts';
import { ArtistRegistry, FilterRegistry } from './registries.ts';
import { addLists, deliveredChanges, putListsBack, replaceLists } from './track-lists.ts';

/** A delivery of a stored track with this row id, which is withdrawn or has another fingerprint. */
export interface Redelivered extends Delivered {
  rowId: number;
  /** Of the stored track. */
  state: TrackState;
}

/** The row ids of what a delivery refers to; undefined if one is missing. */
interface ReferenceLists {
  artists: readonly number[] | undefined;
  filters: readonly number[] | undefined;
}

/**
 * Writes deliveries into the tables of the catalog, many at a time, within the transactions of its caller.
 * Remembers the row ids of filters and artists between them.
 */
export class TrackWriter {
  readonly #clock: Clock;
  readonly #batch: BatchRecorder;
  readonly #copies: boolean;
  readonly #filters = new FilterRegistry();
  readonly #artists = new ArtistRegistry();
  /** The delivered values that this transaction changed, or would change, beneath edits. */
  hidden: HiddenChange[] = [];
  /** The live tracks that this transaction created. */
  created: CreatedTrack[] = [];

  /** @param copies whether to keep the created tracks */
  constructor(clock: Clock, batch: BatchRecorder, copies = false) {
    this.#copies = copies;
    this.#clock = clock;
    this.#batch = batch;
  }

  /**
   * Call this when a transaction was rolled back, and when another process may have removed what is
   * remembered.
   */
  forget(): void {
    this.#filters.forget();
    this.#artists.forget();
  }

  /**
   * Creates new tracks, with the row ids from `nextRowId` on, and updates existing ones. Returns the changes of the
   * updates by track id; the others made no difference and wrote nothing.
   */
  async write(
    tx: Transaction,
    creations: readonly Delivered[],
    nextRowId: number,
    updates: readonly Redelivered[],
  ): Promise<Map<string, BatchChange>> {
    const created = await this.#created(tx, creations, nextRowId);
    await this.#insert(tx, created);
    await addLists(
      tx,
      creations.map(({ delivery }, i) => {
        return { rowId: nextRowId + i, id: delivery.id, lists: deliveredLists(delivery) };
      }),
    );
    const { updated, changed, lists, redeliveries } = await this.#updated(tx, updates);
    await this.#batch.keep(
      tx,
      updates.flatMap(({ delivery, rowId }) => (changed.has(delivery.id) ? [rowId] : [])),
      updated.map(({ rowId }) => rowId),
      new Map([...lists].map(([rowId, changes]) => [rowId, changes.before])),
    );
    await this.#update(tx, updated, 'in the batch');
    await storeHidden(tx, redeliveries);
    await replaceLists(
      tx,
      updates.flatMap(({ rowId, delivery: { id } }) => {
        const changes = lists.get(rowId);
        return changes === undefined ? [] : [{ rowId, id, lists: changes.after }];
      }),
    );
    const followed = new Map<number, TrackState>();
    for (const [i, { delivery }] of creations.entries()) {
      if ((delivery.availability ?? []).length > 0) followed.set(nextRowId + i, 'live');
    }
    for (const { delivery, rowId, state } of updates) {
      if (changed.has(delivery.id)) followed.set(rowId, state === 'withdrawn' ? 'live' : state);
    }
    const states = await this.#follow(tx, followed);
    if (this.#copies) {
      this.created = created.flatMap((track, i) => {
        const isLive = (states.get(track.rowId) ?? 'live') === 'live';
        return isLive ? [createdTrack(creations[i]!.delivery, track, track.content)] : [];
      });
    }
    return new Map(
      updates.flatMap(({ delivery: { id }, rowId, state }) => {
        const members = changed.get(id);
        if (members === undefined) return [];
        return [[id, deliveredChange(id, state, states.get(rowId)!, members)]];
      }),
    );
  }

  /**
   * Gives tracks the states and the territories of their availability, if they had these states without it. Returns the
   * states by row id.
   */
  async #follow(
    tx: Transaction,
    without: ReadonlyMap<number, TrackState>,
  ): Promise<Map<number, TrackState>> {
    if (without.size === 0) return new Map();
    const on = { queries: queriesIn(tx), dialect: postgresDialect };
    const rows = await selectPeriods(on.queries)
      .where(({ ref }) => postgresDialect.isOneOf(ref('rowId'), [...without.keys()]))
      .execute();
    const tracks = await followPeriods(on, rows, this.#clock.now(), {
      stateOf: ({ rowId }) => without.get(rowId)!,
      batchRowId: await this.#batch.rowId(tx),
    });
    return new Map(tracks.map(({ rowId, after }) => [rowId, after.state]));
  }

  /** Returns the ids of the tracks that the updates would change. Writes nothing. */
  async preview(tx: Transaction, updates: readonly Redelivered[]): Promise<Set<string>> {
    const stored = await storedTracks(tx, updates);
    const redeliveries = await this.#redeliveries(tx, updates);
    const references = await this.#referencesOf(tx, redeliveries, false);
    const lists = await deliveredChanges(tx, updates);
    const changed = updates.filter(({ rowId, state }, i) => {
      const before = stored.get(rowId)!;
      const { delivery, hidden } = redeliveries[i]!;
      const content = this.#contentOf(delivery, { stored: before }, references[i]!);
      if (state === 'withdrawn' || content === undefined || lists.has(rowId)) return true;
      if (hidden.length > 0) return true;
      return !isSameContent(content, before);
    });
    return new Set(changed.map(({ delivery }) => delivery.id));
  }

  /**
   * Gives tracks their former content, with their present edits, and returns the members that this changes, by row id.
   * The caller records which batch did that.
   */
  async putBack(
    tx: Transaction,
    tracks: readonly { rowId: number; former: FormerTrack }[],
  ): Promise<Map<number, readonly string[]>> {
    if (tracks.length === 0) return new Map();
    const stored = await storedTracks(tx, tracks);
    const redeliveries = await this.#redeliveries(
      tx,
      tracks.map(({ rowId, former }) => ({ rowId, delivery: deliveryOf(former) })),
    );
    const references = await this.#referencesOf(tx, redeliveries, true);
    const all = tracks.map(({ rowId, former }, i): Written => {
      // Only fills stay of the stored track: what the delivery lacks was absent in the former one.
      const given = { stored: undefined, fills: stored.get(rowId) };
      const content = this.#contentOf(redeliveries[i]!.delivery, given, references[i]!)!;
      return { rowId, content, fingerprint: Buffer.from(former.fingerprint) };
    });
    await this.#update(tx, all, 'put back');
    await storeHidden(tx, redeliveries);
    const lists = await putListsBack(
      tx,
      tracks.map(({ rowId, former }, i) => ({ rowId, id: redeliveries[i]!.delivery.id, former })),
    );
    return new Map(
      all.map(({ rowId, content }) => [
        rowId,
        [...changedMembers(stored.get(rowId)!, content), ...lists.get(rowId)!],
      ]),
    );
  }

  /** Returns the values of new tracks. Creates their filters and artists, and allocates their slugs. */
  async #created(
    tx: Transaction,
    creations: readonly Delivered[],
    nextRowId: number,
  ): Promise<Created[]> {
    if (creations.length === 0) return [];
    const references = await this.#referencesOf(tx, creations, true);
    const slugs = await allocateSlugs(
      tx,
      'track',
      creations.map(
        ({ delivery }) => delivery.slug ?? slugBase('track', delivery.name, delivery.id),
      ),
    );
    return creations.map(({ delivery, fingerprint }, i) => ({
      rowId: nextRowId + i,
      id: delivery.id,
      slug: slugs[i]!,
      content: this.#contentOf(delivery, { stored: undefined }, references[i]!)!,
      fingerprint,
    }));
  }

  /**
   * Returns the values of the updates that make a difference, the members that change, by id, and the lists that
   * change, by row id.
   */
  async #updated(tx: Transaction, updates: readonly Redelivered[]) {
    const updated: Written[] = [];
    const changed = new Map<string, readonly string[]>();
    const lists = await deliveredChanges(tx, updates);
    const redeliveries = await this.#redeliveries(tx, updates);
    if (updates.length === 0) return { updated, changed, lists, redeliveries };
    const references = await this.#referencesOf(tx, redeliveries, true);
    const stored = await storedTracks(tx, updates);
    for (const [i, { rowId, fingerprint, state }] of updates.entries()) {
      const before = stored.get(rowId)!;
      const { delivery, hidden } = redeliveries[i]!;
      const content = this.#contentOf(delivery, { stored: before }, references[i]!)!;
      const changes = lists.get(rowId);
      if (changes !== undefined || hidden.length > 0 || !isSameContent(content, before)) {
        updated.push({ rowId, content, fingerprint });
        const members = changedMembers(before, content);
        changed.set(delivery.id, [...members, ...listMembers(changes)]);
      } else if (state === 'withdrawn') {
        changed.set(delivery.id, []);
      }
    }
    return { updated, changed, lists, redeliveries };
  }

  /** Applies the edits of tracks to deliveries of them. */
  async #redeliveries(
    tx: Transaction,
    given: readonly Pick<Redelivered, 'rowId' | 'delivery'>[],
  ): Promise<(Redelivery & { rowId: number })[]> {
    if (given.length === 0) return [];
    const rows = await tx.rows<{ rowId: number; slug: string; edits: string }>(SELECT_EDITS, [
      given.map(({ rowId }) => rowId),
    ]);
    const stored = new Map(rows.map((row) => [row.rowId, row]));
    return given.map(({ rowId, delivery }) => {
      const row = stored.get(rowId);
      if (row === undefined) return { rowId, delivery, edits: {}, hidden: [] };
      const { slug, edits } = row;
      const made = redelivery(delivery, { slug, edits: parseStored(edits) }, this.#clock.now());
      this.hidden.push(...made.hidden);
      return { rowId, ...made };
    });
  }

  async #referencesOf(
    tx: Transaction,
    deliveries: readonly { delivery: TrackDelivery }[],
    create: boolean,
  ): Promise<ReferenceLists[]> {
    const all = deliveries.map(({ delivery }) => delivery);
    const filters = await this.#filters.resolve(
      tx,
      all.map((delivery) => delivery.filters),
      create,
    );
    const artists = await this.#artists.resolve(
      tx,
      all.map((delivery) => delivery.artists),
      create,
    );
    return all.map((_, i) => ({ artists: artists[i], filters: filters[i] }));
  }

  /** Returns undefined if something that the delivery refers to is missing. */
  #contentOf(
    delivery: TrackDelivery,
    given: Omit<StoredContent, 'now'>,
    { artists, filters }: ReferenceLists,
  ): ContentValue[] | undefined {
    if (artists === undefined || filters === undefined) return undefined;
    return contentValues(delivery, { ...given, now: this.#clock.now() }, artists, filters);
  }

  async #insert(tx: Transaction, tracks: readonly Created[]): Promise<void> {
    if (tracks.length === 0) return;
    const now = this.#clock.now();
    const batchRowId = await this.#batch.rowId(tx);
    await tx.copy(
      CREATION,
      tracks.map((track) => createdValues(track, now, batchRowId)),
    );
  }

  async #update(
    tx: Transaction,
    tracks: readonly Written[],
    how: 'in the batch' | 'put back',
  ): Promise<void> {
    if (tracks.length === 0) return;
    const now = this.#clock.now();
    const batchRowId = how === 'put back' ? null : await this.#batch.rowId(tx);
    const rows = tracks.map((track) => updatedValues(track, now, batchRowId));
    const columns = rows[0]!.map((_, i) => rows.map((row) => row[i]!));
    await tx.rows(UPDATE, columns as Value[]);
  }
}

const SELECT_EDITS = `
  SELECT track_row_id AS "rowId", slug, edits FROM track_edits JOIN tracks ON row_id = track_row_id
  WHERE track_row_id = ANY($1::bigint[])`;

/** Stores the delivered values that deliveries change beneath edits. */
async function storeHidden(
  tx: Transaction,
  redeliveries: readonly (Redelivery & { rowId: number })[],
): Promise<void> {
  for (const { rowId, edits, hidden } of redeliveries) {
    if (hidden.length === 0) continue;
    const sql = 'UPDATE track_edits SET edits = $1 WHERE track_row_id = $2';
    await tx.rows(sql, [JSON.stringify(edits), rowId]);
  }
}

/** Returns the contents of tracks by row id, in the order of CONTENT_COLUMNS. */
async function storedTracks(
  tx: Transaction,
  tracks: readonly { rowId: number }[],
): Promise<Map<number, ContentValue[]>> {
  if (tracks.length === 0) return new Map();
  const rows = await tx.rows<Record<string, ContentValue>>(
    `SELECT row_id, ${CONTENT_COLUMNS} FROM tracks WHERE row_id = ANY($1::bigint[])`,
    [tracks.map(({ rowId }) => rowId)],
  );
  return new Map(
    rows.map((row) => [row.row_id as number, CONTENT_COLUMNS.map((name) => row[name] ?? null)]),
  );
}

export interface Delivered {
  delivery: TrackDelivery;
  fingerprint: Buffer;
}

/** A track to be written, with the values that a delivery decides. */
export interface Written {
  rowId: number;
  /** In the order of CONTENT_COLUMNS. */
  content: readonly ContentValue[];
  fingerprint: Buffer;
}

export interface Created extends Written {
  id: string;
  slug: string;
}

/** The columns that a delivery sets, beside its content. */
const DELIVERED_COLUMNS = [...CONTENT_COLUMNS, 'fingerprint', 'updated_at', 'batch_row_id'];

/** The types of the columns that are not text. */
const TYPES: Readonly<Record<string, string>> = {
  duration_seconds: 'bigint',
  released_at: 'bigint',
  preview_start: 'bigint',
  has_vocals: 'boolean',
  is_pro: 'boolean',
  is_instrumental: 'boolean',
  training_allowed: 'boolean',
  samples: 'bigint',
  is_playable: 'boolean',
  cover_bytes: 'bigint',
  fingerprint: 'bytea',
  updated_at: 'bigint',
  batch_row_id: 'bigint',
  row_id: 'bigint',
};

/** The target of COPY for new tracks. */
const CREATION = `tracks (row_id, id, slug, created_at, ${DELIVERED_COLUMNS})`;

function createdValues(track: Created, now: number, batchRowId: number) {
  return [track.rowId, track.id, track.slug, now, ...deliveredValues(track, now, batchRowId)];
}

/** Sets all columns of many tracks. The parameters are arrays in the order of `updatedValues`. */
const UPDATE = `
  UPDATE tracks SET (${DELIVERED_COLUMNS}) = (${DELIVERED_COLUMNS.map((name) =>
    name === 'batch_row_id' ? `coalesce(new.${name}, tracks.${name})` : `new.${name}`,
  )})
  FROM unnest(${[...DELIVERED_COLUMNS, 'row_id'].map((name, i) => `$${i + 1}::${TYPES[name] ?? 'text'}[]`)})
    AS new (${DELIVERED_COLUMNS}, row_id)
  WHERE tracks.row_id = new.row_id`;

/** Returns the values of one track for UPDATE. */
function updatedValues(track: Written, now: number, batchRowId: number | null) {
  return [...deliveredValues(track, now, batchRowId), track.rowId];
}

function deliveredValues(
  { content, fingerprint }: Written,
  now: number,
  batchRowId: number | null,
) {
  return [...content, fingerprint, now, batchRowId];
}

export function batchWriter(
  transaction: Transaction,
  clock: Clock,
  cause: BatchCause,
): BatchWriter {
  const recorder = new BatchRecorder(clock, cause, cause.undoes);
  const writer = new TrackWriter(clock, recorder);
  return {
    number: () => recorder.rowId(transaction),
    putBack: (tracks) => writer.putBack(transaction, tracks),
    count: (counted) => recorder.count(transaction, counted),
  };
}
