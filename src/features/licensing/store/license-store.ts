import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import type { Actor, Mode } from '../../../common/caller.ts';
import type { WriteTransaction } from '../../../engines/sql/database.ts';
import { insertRows } from '../../../engines/sql/insert-rows.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import type { Tables } from '../../../engines/sql/tables/tables.ts';
import { unknownTrack } from '../../catalog/track.ts';
import type { License, LicensedTrack } from '../license.ts';

/** The number of licenses that one transaction writes; it holds the lock for about 20 ms. */
const WRITE_SLICE = 500;
/** The number of licenses, or tracks, that one statement of a count reads if it blocks the event loop. */
const COUNT_SLICE = 5_000;

const COLUMNS = {
  externalId: 'text',
  trackRowId: 'integer',
  mode: 'text',
  licensedAt: 'integer',
  clientId: 'text',
} as const;

type Outcome = 'created' | 'updated' | 'unchanged';
type StoredLicense = Omit<Selectable<Tables['licenses']>, 'rowId'>;

/** Licenses in the system of record. Each change is logged. */
export class LicenseStore extends SqlStore {
  /**
   * Adds or corrects licenses by externalId, in short transactions of some hundred. Returns the outcomes in
   * order. Throws not_found for an unknown track; earlier transactions stay committed.
   */
  async put(licenses: readonly License[], by: Actor, batchId: string): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let from = 0; from < licenses.length; from += WRITE_SLICE) {
      const slice = licenses.slice(from, from + WRITE_SLICE);
      const written = await this.database.write(async (transaction) => {
        const made = await this.#putSlice(transaction, slice);
        const changed = slice.flatMap(({ externalId }, i): ['created' | 'updated', string][] =>
          made[i] === 'unchanged' ? [] : [[made[i]!, externalId]],
        );
        await transaction.log('license', changed, { by, batchId });
        return made;
      });
      outcomes.push(...written);
    }
    return outcomes;
  }

  /**
   * The live tracks with at least one license of the mode since the given time (null for all time), most
   * licensed first, ties by id. Costs one read of these licenses.
   */
  async mostLicensed(mode: Mode, since: number | null): Promise<LicensedTrack[]> {
    const licensed = await this.#licensed(mode, since);
    return licensed
      .filter(({ state }) => state === 'live')
      .map(({ trackId, licenseCount }) => ({ trackId, licenseCount }))
      .sort((a, b) => b.licenseCount - a.licenseCount || (a.trackId < b.trackId ? -1 : 1));
  }

  /**
   * The number of licenses of the mode of each track, by id, whatever the state of the track; tracks without
   * a license are left out. Costs one read of these licenses.
   */
  async countsByTrack(mode: Mode): Promise<Map<string, number>> {
    const licensed = await this.#licensed(mode, null);
    return new Map(licensed.map(({ trackId, licenseCount }) => [trackId, licenseCount]));
  }

  /**
   * Writes a slice with few statements. The outcomes are those of writing one license after the other,
   * because an externalId may occur twice.
   */
  async #putSlice({ queries }: WriteTransaction, licenses: readonly License[]): Promise<Outcome[]> {
    const { dialect } = this.database;
    const { isOneOf } = dialect;
    const trackIds = [...new Set(licenses.map(({ trackId }) => trackId))];
    const tracks = await queries
      .selectFrom('tracks')
      .select(['id', 'rowId'])
      .where(({ ref }) => isOneOf(ref('id'), trackIds))
      .execute();
    const numbers = new Map(tracks.map(({ id, rowId }) => [id, rowId]));
    const stored = await queries
      .selectFrom('licenses')
      .select(['externalId', 'trackRowId', 'mode', 'licensedAt', 'clientId'])
      .where(({ ref }) =>
        isOneOf(
          ref('externalId'),
          licenses.map(({ externalId }) => externalId),
        ),
      )
      .execute();
    const latest = new Map<string, StoredLicense>(stored.map((row) => [row.externalId, row]));
    const changed = new Set<string>();
    const outcomes = licenses.map(({ trackId, ...rest }): Outcome => {
      const trackRowId = numbers.get(trackId);
      if (trackRowId === undefined) throw unknownTrack(trackId);
      const license = { ...rest, trackRowId };
      const before = latest.get(license.externalId);
      if (before !== undefined && isSame(before, license)) return 'unchanged';
      latest.set(license.externalId, license);
      changed.add(license.externalId);
      return before === undefined ? 'created' : 'updated';
    });
    const rows = [...changed].map((externalId) => latest.get(externalId)!);
    await insertRows(queries, dialect, 'licenses', COLUMNS, rows)
      .onConflict((conflict) =>
        conflict.column('externalId').doUpdateSet(({ ref }) => ({
          trackRowId: ref('excluded.trackRowId'),
          mode: ref('excluded.mode'),
          licensedAt: ref('excluded.licensedAt'),
          clientId: ref('excluded.clientId'),
        })),
      )
      .execute();
    return outcomes;
  }

  /** Returns the tracks with licenses of the mode since this time, whatever their state, in any order. */
  async #licensed(mode: Mode, since: number | null) {
    const counts = this.database.blocksEventLoop
      ? await this.#countInSteps(mode, since)
      : await this.#count(mode, since);
    const numbers = [...counts.keys()];
    const licensed: (LicensedTrack & { state: string })[] = [];
    for (let from = 0; from < numbers.length; from += COUNT_SLICE) {
      const slice = numbers.slice(from, from + COUNT_SLICE);
      const tracks = await this.database.queries
        .selectFrom('tracks')
        .select(['rowId', 'id', 'state'])
        .where(({ ref }) => this.database.dialect.isOneOf(ref('rowId'), slice))
        .execute();
      for (const { rowId, id, state } of tracks) {
        licensed.push({ trackId: id, licenseCount: counts.get(rowId)!, state });
      }
      await nextTurn();
    }
    return licensed;
  }

  async #count(mode: Mode, since: number | null): Promise<Map<number, number>> {
    const rows = await this.database.queries
      .selectFrom('licenses')
      .select(({ fn }) => ['trackRowId', fn.countAll<number>().as('count')])
      .where('mode', '=', mode)
      .where('licensedAt', '>=', since ?? Number.MIN_SAFE_INTEGER)
      .groupBy('trackRowId')
      .execute();
    return new Map(rows.map(({ trackRowId, count }) => [trackRowId, count]));
  }

  /** Counts in steps along the index. */
  async #countInSteps(mode: Mode, since: number | null): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    let last = { licensedAt: since ?? Number.MIN_SAFE_INTEGER, trackRowId: 0, rowId: 0 };
    for (;;) {
      const { licensedAt, trackRowId, rowId } = last;
      const rows = await this.database.queries
        .selectFrom('licenses')
        .select(['licensedAt', 'trackRowId', 'rowId'])
        .where('mode', '=', mode)
        .where('licensedAt', '>=', licensedAt)
        .where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('licensedAt', 'trackRowId', 'rowId'),
            '>',
            tuple(licensedAt, trackRowId, rowId),
          ),
        )
        .orderBy('licensedAt')
        .orderBy('trackRowId')
        .orderBy('rowId')
        .limit(COUNT_SLICE)
        .execute();
      for (const row of rows) counts.set(row.trackRowId, (counts.get(row.trackRowId) ?? 0) + 1);
      if (rows.length < COUNT_SLICE) return counts;
      last = rows.at(-1)!;
      await nextTurn();
    }
  }
}

function isSame(a: StoredLicense, b: StoredLicense): boolean {
  return (
    a.trackRowId === b.trackRowId &&
    a.mode === b.mode &&
    a.licensedAt === b.licensedAt &&
    a.clientId === b.clientId
  );
}
