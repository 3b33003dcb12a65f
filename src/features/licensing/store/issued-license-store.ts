import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Actor, ClientMode, WriteContext } from '../../../common/caller.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import {
  type Certify,
  type Issue,
  type IssuedLicense,
  type LicenseFilter,
  type LicenseRequest,
  type LicenseView,
  type OperatorLicenseFilter,
  type Revenue,
  unknownLicense,
} from '../issued-license.ts';
import { REVOKED } from './licensable-tracks.ts';
import { issueLicense, popularityId } from './license-issue.ts';
import {
  type LicenseRow,
  licenseOf,
  licensesLike,
  selectLicenses,
  viewsOf,
} from './license-queries.ts';

/** The licenses that one statement of a list reads, each with up to 100 tracks: fewer if it blocks other requests. */
const LIST_SLICE = { blocking: 5, aside: 50 };
/** The licenses that one statement of an export reads. */
const EXPORT_SLICE = 500;

/** The licenses that were sold through the API. Each change is logged. */
export class IssuedLicenseStore extends SqlStore {
  /**
   * Issues the license of a quote, or returns the one that the same request has issued. Throws `not_found` unless the
   * client has the quote, `gone` if it has expired, and `conflict` if it has bought a license for another licensee, the
   * terms differ, the start has passed, or a track is not for sale any more.
   *
   * @param issue.statedNow the time that a test request states, in milliseconds since the epoch; by default the time
   * of the clock under the write lock
   */
  issue(
    request: LicenseRequest,
    { statedNow, certify }: { statedNow?: number | undefined; certify: Certify },
    context: WriteContext<Issue>,
  ): Promise<Issue> {
    return this.database.write(async (transaction) => {
      // Not earlier: a request may wait for the lock while other licenses are issued and its quote expires.
      const now = statedNow ?? this.clock.now();
      const { dialect } = this.database;
      const issue = { certify, now };
      const { license, isNew } = await issueLicense(transaction, dialect, context, request, issue);
      const [view] = await viewsOf(transaction.queries, dialect, [license]);
      return { license: view!, isNew, now };
    }, context);
  }

  /** The licenses of a client in its mode, newest first, and their number. */
  async list(
    { clientId, mode }: ClientMode,
    { offset, limit, ...asked }: LicenseFilter & { now: number; offset: number; limit: number },
  ): Promise<{ licenses: LicenseView[]; total: number }> {
    const filter = { clientId, mode, ...asked };
    const { total, rowIds } = await this.database.view(async (queries) => {
      const counted = await licensesLike(queries, filter)
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const rows = await licensesLike(queries, filter)
        .select('rowId')
        .orderBy('issuedAt', 'desc')
        .orderBy('number', 'desc')
        .offset(offset)
        .limit(limit)
        .execute();
      return { ...counted, rowIds: rows.map(({ rowId }) => rowId) };
    });
    const licenses: LicenseView[] = [];
    const slice = this.database.blocksEventLoop ? LIST_SLICE.blocking : LIST_SLICE.aside;
    for (let from = 0; from < rowIds.length; from += slice) {
      if (from > 0) await nextTurn();
      licenses.push(...(await this.#withRowIds(rowIds.slice(from, from + slice))));
    }
    return { licenses, total };
  }

  /** Throws `not_found` unless the client has this license in its mode. The number may be in either case. */
  async find(number: string, { clientId, mode }: ClientMode): Promise<LicenseView> {
    const found = await this.findAny(number);
    if (found?.clientId !== clientId || found.mode !== mode) throw unknownLicense();
    return found;
  }

  /** Returns the numbers, in upper case, that belong to licenses of the client in its mode, in any state. */
  async known(
    numbers: readonly string[],
    { clientId, mode }: ClientMode,
  ): Promise<ReadonlySet<string>> {
    if (numbers.length === 0) return new Set();
    const { queries, dialect } = this.database;
    const rows = await queries
      .selectFrom('issuedLicenses')
      .select('number')
      .where(({ ref }) => dialect.isOneOf(ref('number'), [...new Set(numbers)]))
      .where('clientId', '=', clientId)
      .where('mode', '=', mode)
      .execute();
    return new Set(rows.map(({ number }) => number));
  }

  /** The license of any client with a number, for `verifyLicense` and the operator; undefined if there is none. */
  findAny(number: string): Promise<LicenseView | undefined> {
    return this.database.view(async (queries) => {
      const rows = await selectLicenses(licensesLike(queries, { now: 0 }))
        .where('number', '=', number.toUpperCase())
        .execute();
      const [view] = await viewsOf(queries, this.database.dialect, rows.map(licenseOf));
      return view;
    });
  }

  /** The licenses of all clients that were issued last by the clock, newest first, for the operator. */
  async latest(
    limit: number,
    { offset = 0, ...filter }: OperatorLicenseFilter & { now: number; offset?: number },
  ): Promise<IssuedLicense[]> {
    const { queries } = this.database;
    // By the order of storage, because a test request may state another time than the clock. Those with a prefix are in the
    // order of their index, so that nothing is sorted: a number begins with its year.
    const rows = await selectLicenses(licensesLike(queries, filter))
      .orderBy(filter.numberPrefix === undefined ? 'rowId' : 'number', 'desc')
      .offset(offset)
      .limit(limit)
      .execute();
    return rows.map(licenseOf);
  }

  /** All licenses that match a filter, oldest first, for the operator. */
  async *records(filter: OperatorLicenseFilter & { now: number }): AsyncIterable<IssuedLicense> {
    let last: LicenseRow | undefined;
    do {
      const rows: LicenseRow[] = await this.#after(last, filter);
      yield* rows.map(licenseOf);
      last = rows.length < EXPORT_SLICE ? undefined : rows.at(-1)!;
    } while (last !== undefined);
  }

  /** What the licenses that match a filter cost, by client and currency. */
  revenue(filter: OperatorLicenseFilter & { now: number }): Promise<Revenue[]> {
    return licensesLike(this.database.aside, filter)
      .select(({ fn, ref }) => [
        ...(['clientId', 'currency'] as const),
        fn.countAll<number>().as('licenses'),
        sql<number>`cast(sum(${ref('amountMinor')}) AS bigint)`.as('amountMinor'),
        fn.count<number>('revokedAt').as('revoked'),
        sql<number>`cast(sum(CASE WHEN ${ref('revokedAt')} IS NULL THEN 0 ELSE ${ref('amountMinor')} END) AS bigint)`.as(
          'revokedMinor',
        ),
      ])
      .groupBy(['clientId', 'currency'])
      .orderBy('clientId')
      .orderBy('currency')
      .execute();
  }

  /** Returns licenses in this order. Licenses are never deleted. */
  #withRowIds(rowIds: readonly number[]): Promise<LicenseView[]> {
    const { dialect } = this.database;
    return this.database.view(async (queries) => {
      const rows = await selectLicenses(licensesLike(queries, { now: 0 }))
        .where(({ ref }) => dialect.isOneOf(ref('rowId'), rowIds))
        .execute();
      const byRowId = new Map(rows.map((row) => [row.rowId, row]));
      const ordered = rowIds.map((rowId) => licenseOf(byRowId.get(rowId)!));
      return viewsOf(queries, dialect, ordered);
    });
  }

  #after(
    last: LicenseRow | undefined,
    filter: OperatorLicenseFilter & { now: number },
  ): Promise<LicenseRow[]> {
    let query = selectLicenses(licensesLike(this.database.queries, filter));
    if (last !== undefined) {
      const { issuedAt, number } = last;
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('issuedAt', 'number'), '>', tuple(issuedAt, number)),
      );
    }
    return query.orderBy('issuedAt').orderBy('number').limit(EXPORT_SLICE).execute();
  }

  /** Revokes a license. Returns false if it was revoked before. Throws `not_found` if there is none. */
  revoke(
    number: string,
    { reason, now }: { reason: string; now: number },
    by: Actor,
  ): Promise<boolean> {
    return this.database.write(async ({ queries, log }) => {
      const row = await selectLicenses(licensesLike(queries, { now }))
        .where('number', '=', number.toUpperCase())
        .executeTakeFirst();
      if (row === undefined) throw unknownLicense();
      if (row.revokedAt !== null) return false;
      const { terms, ...license } = licenseOf(row);
      const { isOneOf } = this.database.dialect;
      const counted = terms.tracks.map((_, position) => popularityId(license.number, position));
      await queries
        .updateTable('issuedLicenses')
        .set({ revokedAt: now, reason })
        .where('rowId', '=', row.rowId)
        .execute();
      await queries
        .updateTable('issuedLicenseTracks')
        .set({ occupiedUntil: REVOKED })
        .where('licenseRowId', '=', row.rowId)
        .execute();
      await queries
        .deleteFrom('licenses')
        .where(({ ref }) => isOneOf(ref('externalId'), counted))
        .execute();
      const { clientId, mode } = license;
      await log('license', [['removed', license.number]], { by, batchId: null, clientId, mode });
      return true;
    });
  }
}
