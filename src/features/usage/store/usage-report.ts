import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import { insertRows } from '../../../engines/sql/insert-rows.ts';
import { refusalOf, type UsageReport, type UsageResult } from '../usage.ts';
import { addToDays, sourceOf } from './usage-days.ts';
import { daySums, EVENT_COLUMNS, eventRow, type KnownEvent } from './usage-rows.ts';

interface ReportedTrack {
  rowId: number;
  id: string;
  state: string;
  name: string;
  isrc: string;
  /** As in `usage_tracks`; null if the track was never reported before. */
  knownName: string | null;
  knownIsrc: string | null;
}

/**
 * Writes one report within a transaction. Rows are written in the order of their keys, so that
 * reports that run at the same time do not wait for each other in a circle.
 */
export class ReportWriter {
  readonly #queries: Queries;
  readonly #dialect: SqlDialect;
  readonly #report: UsageReport;
  readonly #events: readonly KnownEvent[];

  constructor(
    queries: Queries,
    dialect: SqlDialect,
    report: UsageReport,
    events: readonly KnownEvent[],
  ) {
    this.#queries = queries;
    this.#dialect = dialect;
    this.#report = report;
    this.#events = events;
  }

  /** Stores the accepted events. Returns one result for each event, in their order. */
  async write(): Promise<UsageResult[]> {
    const tracks = await this.#tracks();
    const refusals = this.#events.map(({ event }) =>
      refusalOf(event, tracks.has(event.trackId), this.#report),
    );
    /** The place of the first event of each id that can be accepted. */
    const first = new Map<string, number>();
    for (const [place, { key }] of this.#events.entries()) {
      if (refusals[place] === undefined && !first.has(key)) first.set(key, place);
    }
    const source = await this.#source(first.size > 0);
    const accepted = await this.#claim(source, [...first.values()]);
    const before = await this.#contentsBefore(source, accepted);
    const places = [...accepted.values()].sort((a, b) => a - b);
    await this.#store(source, places, tracks);
    return this.#events.map(({ event, key, content }, place): UsageResult => {
      const own = accepted.get(key);
      if (own === place) {
        return { status: 'accepted', takenDown: tracks.get(event.trackId)!.state !== 'live' };
      }
      const earlier =
        before.get(key) ?? (own !== undefined && own < place ? this.#events[own]!.content : null);
      if (earlier !== null) {
        if (earlier.equals(content)) return { status: 'duplicate' };
        return { status: 'rejected', reason: 'event_conflict' };
      }
      return { status: 'rejected', reason: refusals[place]! };
    });
  }

  async #tracks(): Promise<Map<string, ReportedTrack>> {
    const ids = [...new Set(this.#events.map(({ event }) => event.trackId))];
    const tracks = await this.#queries
      .selectFrom('tracks')
      .leftJoin('usageTracks', 'usageTracks.trackRowId', 'tracks.rowId')
      .select([
        'tracks.rowId',
        'tracks.id',
        'tracks.state',
        'tracks.name',
        'tracks.isrc',
        'usageTracks.name as knownName',
        'usageTracks.isrc as knownIsrc',
      ])
      .where(({ ref }) => this.#dialect.isOneOf(ref('tracks.id'), ids))
      .execute();
    return new Map(tracks.map((track) => [track.id, track]));
  }

  /** Returns the row id of the client and mode, or 0, which no row has, if there is none and none is needed. */
  async #source(isNeeded: boolean): Promise<number> {
    const { clientId, mode } = this.#report;
    const found = await sourceOf(this.#queries, this.#report);
    if (found !== undefined || !isNeeded) return found ?? 0;
    await this.#queries
      .insertInto('usageSources')
      .values({ clientId, mode })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return (await sourceOf(this.#queries, this.#report))!;
  }

  /**
   * Inserts the ids of the events at these places, except those that are stored already. Returns the places of the
   * inserted ones by their keys. Waits for another report that inserts one of them at the same time.
   */
  async #claim(source: number, places: readonly number[]): Promise<Map<string, number>> {
    if (places.length === 0) return new Map();
    const events = places
      .map((place) => ({ place, ...this.#events[place]! }))
      .sort((a, b) => Buffer.compare(a.hash, b.hash));
    const types = { sourceRowId: 'integer', hash: 'bytes', content: 'bytes' } as const;
    const rows = events.map(({ hash, content }) => ({ sourceRowId: source, hash, content }));
    const inserted = await insertRows(this.#queries, this.#dialect, 'usageEventIds', types, rows)
      .onConflict((conflict) => conflict.doNothing())
      .returning('hash')
      .execute();
    const isInserted = new Set(inserted.map(({ hash }) => hash.toString('latin1')));
    return new Map(
      events.filter(({ key }) => isInserted.has(key)).map(({ key, place }) => [key, place]),
    );
  }

  /** Returns the contents of the events that were accepted before this report, by their keys. */
  async #contentsBefore(
    source: number,
    accepted: ReadonlyMap<string, number>,
  ): Promise<Map<string, Buffer>> {
    const asked = new Map(
      this.#events.filter(({ key }) => !accepted.has(key)).map(({ key, hash }) => [key, hash]),
    );
    if (asked.size === 0 || source === 0) return new Map();
    const given = this.#dialect.rows(
      'given',
      { hash: 'bytes' },
      [...asked.values()].map((hash) => ({ hash })),
    );
    const rows = await this.#queries
      .selectFrom('usageEventIds')
      .select(['hash', 'content'])
      .where('sourceRowId', '=', source)
      .where('hash', 'in', ({ selectFrom }) => selectFrom(given).select('hash'))
      .execute();
    return new Map(rows.map(({ hash, content }) => [hash.toString('latin1'), content]));
  }

  async #store(
    source: number,
    places: readonly number[],
    tracks: ReadonlyMap<string, ReportedTrack>,
  ): Promise<void> {
    if (places.length === 0) return;
    const accepted = places.map((place) => this.#events[place]!);
    const used = new Set(accepted.map(({ event }) => tracks.get(event.trackId)!));
    const rows = accepted.map((known) =>
      eventRow(known, this.#report, source, tracks.get(known.event.trackId)!.rowId),
    );
    await this.#putTracks([...used]);
    await insertRows(this.#queries, this.#dialect, 'usageEvents', EVENT_COLUMNS, rows).execute();
    await addToDays(this.#queries, this.#dialect, source, daySums(rows));
    await this.#putProductions(source, accepted);
  }

  /** Stores the names and ISRCs that have changed since the last report of each track. */
  async #putTracks(tracks: readonly ReportedTrack[]): Promise<void> {
    const changed = tracks
      .filter(({ name, isrc, knownName, knownIsrc }) => name !== knownName || isrc !== knownIsrc)
      .map(({ rowId, id, name, isrc }) => ({ trackRowId: rowId, id, name, isrc }))
      .sort((a, b) => a.trackRowId - b.trackRowId);
    if (changed.length === 0) return;
    const types = { trackRowId: 'integer', id: 'text', name: 'text', isrc: 'text' } as const;
    await insertRows(this.#queries, this.#dialect, 'usageTracks', types, changed)
      .onConflict((conflict) =>
        conflict.column('trackRowId').doUpdateSet(({ ref }) => ({
          name: ref('excluded.name'),
          isrc: ref('excluded.isrc'),
        })),
      )
      .execute();
  }

  /** Stores each production as the last event of the report describes it. */
  async #putProductions(source: number, accepted: readonly KnownEvent[]): Promise<void> {
    const productions = new Map(
      accepted.flatMap(({ event: { production } }) =>
        production === null ? [] : [[production.id, JSON.stringify(production)] as const],
      ),
    );
    const sorted = [...productions].sort(([a], [b]) => (a < b ? -1 : 1));
    if (sorted.length === 0) return;
    const types = { sourceRowId: 'integer', productionId: 'text', document: 'text' } as const;
    const rows = sorted.map(([productionId, document]) => ({
      sourceRowId: source,
      productionId,
      document,
    }));
    await insertRows(this.#queries, this.#dialect, 'productions', types, rows)
      .onConflict((conflict) =>
        conflict
          .columns(['sourceRowId', 'productionId'])
          .doUpdateSet(({ ref }) => ({ document: ref('excluded.document') })),
      )
      .execute();
  }
}
