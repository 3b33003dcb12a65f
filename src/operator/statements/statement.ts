import type { AppContext } from '../../app/open/context.ts';
import { DAY_MS } from '../../common/clock.ts';
import { minorUnitOf } from '../../common/codes.ts';
import { OperatorError } from '../../common/errors.ts';
import { KEPT_DAYS } from '../../features/access/calls.ts';
import {
  type IssuedLicense,
  licenseState,
  type Revenue,
  shownAmount,
} from '../../features/licensing/issued-license.ts';
import { KEPT_MS, type Quote } from '../../features/licensing/quote.ts';
import { dayOf, totalsOf, type UsageCounts, type UsageGroup } from '../../features/usage/usage.ts';
import { usageOfClients } from '../../features/usage/usage-records.ts';
import { clientNames } from '../named.ts';
import { type Sheet, type SheetTable, utc } from './sheet.ts';

const MAX_MONTHS = 120;
/** The most licenses and quotes that a statement lists. Its sums have all. */
const MAX_LISTED = 500;

/** The months of a statement, in UTC. */
export interface Months {
  /** Such as 2026-11. */
  first: string;
  last: string;
  /** The first moment of each month, and then the first one after the last month. */
  bounds: readonly number[];
  /** The last moment that the statement is about: now, if its last month is not over. */
  until: number;
  isOpen: boolean;
}

/**
 * Returns the months from the first to the last, which are included; by default the present one. Throws OperatorError for
 * texts that are no months, and for months that have not begun.
 */
export function monthsOf(
  given: { first?: string | undefined; last?: string | undefined },
  now: number,
): Months {
  const present = monthAt(now);
  const { first = present, last = first } = given;
  const [from, to] = [first, last].map((month) => {
    if (!/^(?:19[7-9]|[2-9]\d\d)\d-(?:0[1-9]|1[0-2])$/.test(month)) {
      throw new OperatorError(`${JSON.stringify(month)} is no month: write it as ${present}`);
    }
    if (month > present) throw new OperatorError(`the month ${month} has not begun`);
    const [year, number] = month.split('-').map(Number) as [number, number];
    return (year - 1970) * 12 + number - 1;
  }) as [number, number];
  if (from > to) {
    throw new OperatorError(`the last month, ${last}, is before the first, ${first}`);
  }
  if (to - from >= MAX_MONTHS) {
    throw new OperatorError(`a statement is of ${MAX_MONTHS} months at most`);
  }
  const bounds = Array.from({ length: to - from + 2 }, (_, i) => Date.UTC(1970, from + i));
  const end = bounds.at(-1)! - 1;
  return { first, last, bounds, until: Math.min(end, now), isOpen: now <= end };
}

function monthAt(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** What a partner has done in some months. Whatever was done with test secrets is left out. */
export interface Statement {
  clientId: string;
  /** Null if the client was deleted. */
  clientName: string | null;
  months: Months;
  /** When it was made, in milliseconds since the epoch. */
  at: number;
  requests: { month: string; requests: number; errors: number }[];
  /** By type, and requests whose response the client did not wait for as `aborted`; the most frequent first. */
  errors: { type: string; requests: number }[];
  /** By month, without those without use. */
  usage: readonly UsageGroup[];
  /** Of the licenses that were issued in these months, by currency. */
  revenue: Revenue[];
  /** The licenses that were issued in these months, the oldest first: MAX_LISTED at most. */
  licenses: IssuedLicense[];
  /** The quotes that were open at the end, the oldest first: MAX_LISTED at most. */
  quotes: Quote[];
  quoteCount: number;
}

/** Throws OperatorError if there is no such client, and none was in these months. */
export async function readStatement(
  { store, clock }: Pick<AppContext, 'store' | 'clock'>,
  clientId: string,
  months: Months,
): Promise<Statement> {
  const now = clock.now();
  const [from, to] = [months.bounds[0]!, months.until];
  const client = await store.clients.get(clientId);
  const { requests, errors } = await requestsOf(store, clientId, months.bounds);
  const { groups: usage } = await store.usage.summary({
    ...{ clientId, mode: 'live', from: dayOf(from), to: dayOf(to), groupBy: 'month' },
  });
  const sold = { clientId, mode: 'live', from, to, now } as const;
  const revenue = await store.issuedLicenses.revenue(sold);
  const licenses: IssuedLicense[] = [];
  for await (const license of store.issuedLicenses.records(sold)) {
    if (licenses.push(license) === MAX_LISTED) break;
  }
  const { quotes, total } = await store.quotes.openAt(clientId, to, MAX_LISTED);
  const isUnused = [requests, usage, revenue, quotes].every(({ length }) => length === 0);
  if (client === undefined && isUnused) {
    throw new OperatorError(
      `There is no client ${clientId}, and none had this id in these months.`,
    );
  }
  return {
    ...{ clientId, clientName: client?.name ?? null, months, at: now },
    ...{ requests, errors, usage, revenue, licenses, quotes, quoteCount: total },
  };
}

async function requestsOf(
  { calls }: Pick<AppContext['store'], 'calls'>,
  clientId: string,
  bounds: readonly number[],
): Promise<Pick<Statement, 'requests' | 'errors'>> {
  const requests: Statement['requests'] = [];
  const byType = new Map<string, number>();
  for (const [i, from] of bounds.slice(0, -1).entries()) {
    const counts = await calls.outcomes({ clientId, from, to: bounds[i + 1]! - DAY_MS });
    if (counts.length === 0) continue;
    const failed = counts.filter(({ outcome }) => outcome !== 'ok');
    for (const { outcome, requests } of failed) {
      byType.set(outcome, (byType.get(outcome) ?? 0) + requests);
    }
    requests.push({ month: monthAt(from), requests: sum(counts), errors: sum(failed) });
  }
  const errors = [...byType].map(([type, count]) => ({ type, requests: count }));
  return { requests, errors: errors.sort((a, b) => b.requests - a.requests) };
}

function sum(counts: readonly { requests: number }[]): number {
  return counts.reduce((all, { requests }) => all + requests, 0);
}

export function statementSheet(statement: Statement): Sheet {
  const { clientId, clientName, at, revenue, licenses, quotes } = statement;
  const sold = revenue.reduce((all, { licenses: count }) => all + count, 0);
  return {
    title: `Statement of ${clientName ?? clientId}`,
    facts: [['Client id', clientId], ...timeFacts(statement.months, at)],
    tables: [
      {
        title: 'Requests',
        columns: ['Month', '# Requests', '# Errors'],
        rows: statement.requests.map(({ month, requests, errors }) => [month, requests, errors]),
        empty: 'no requests',
        note:
          at - statement.months.bounds[0]! > KEPT_DAYS * DAY_MS
            ? 'The counts of days more than 13 months ago are deleted.'
            : '',
      },
      {
        title: 'Errors',
        columns: ['Type', '# Requests'],
        rows: statement.errors.map(({ type, requests }) => [type, requests]),
        empty: 'no errors',
      },
      {
        title: 'Reported usage',
        columns: ['Month', '# Streams', '# Downloads', '# Syncs', '# Seconds'],
        rows: statement.usage.map(({ key, ...counts }) => [key, ...usageCells(counts)]),
        empty: 'no usage',
      },
      {
        title: 'Revenue, net of tax',
        columns: ['Currency', '# Licenses', '# Amount', '# Of them revoked', '# Revoked amount'],
        rows: revenue.map((one) => [
          ...[one.currency, one.licenses, money(one.amountMinor, one.currency)],
          ...[one.revoked, money(one.revokedMinor, one.currency)],
        ]),
        empty: 'no licenses',
      },
      {
        title: 'Licenses',
        columns: [
          'Number',
          'Issued',
          'State',
          'Licensee',
          'Project',
          '# Tracks',
          '# Amount',
          'Currency',
        ],
        rows: licenses.map((license) => [
          ...[license.number, dateOf(license.issuedAt), licenseState(license, at)],
          ...[license.terms.licensee.name, license.terms.project.name],
          ...[
            license.terms.tracks.length,
            shownAmount(license.amountMinor, license.terms.minorUnit),
          ],
          license.currency,
        ]),
        empty: 'no licenses',
        note: more(sold - licenses.length, '`stave licenses export` has all.'),
      },
      {
        title: 'Open quotes',
        columns: ['Quote', 'Made', 'Expires', 'Project', '# Tracks', '# Amount', 'Currency'],
        rows: quotes.map(({ id, terms, createdAt, expiresAt }) => [
          ...[id, dateOf(createdAt), dateOf(expiresAt), terms.project.name, terms.items.length],
          ...[shownAmount(terms.amountMinor, terms.minorUnit), terms.currency],
        ]),
        empty: 'no open quotes',
        note:
          at - statement.months.until > KEPT_MS
            ? `Quotes that expired more than ${KEPT_MS / DAY_MS} days ago without a license are deleted.`
            : more(statement.quoteCount - quotes.length, 'The oldest ones are listed.'),
      },
    ],
    at,
  };
}

function timeFacts({ first, last, until, isOpen }: Months, at: number): [string, string][] {
  return [
    ['Months', `${first === last ? first : `${first} to ${last}`}, in UTC`],
    ...(isOpen ? [['Until', `${utc(until)}, because ${last} is not over`] as const] : []),
    ['Made', utc(at)],
    ['Left out', 'what was done with test secrets'],
  ].map(([name = '', value = '']) => [name, value]);
}

function more(count: number, where: string): string {
  return count > 0 ? `… and ${count} more. ${where}` : '';
}

function usageCells({ streams, downloads, syncs, seconds }: UsageCounts): number[] {
  return [streams, downloads, syncs, seconds];
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function money(amountMinor: number, currency: string): string {
  return shownAmount(amountMinor, minorUnitOf(currency) ?? 0);
}

/** Returns what each client has done in some months, without clients that have done nothing. */
export async function readStatements(
  { store, clock }: Pick<AppContext, 'store' | 'clock'>,
  months: Months,
): Promise<Sheet> {
  const now = clock.now();
  const [from, to] = [months.bounds[0]!, months.until];
  const counts = await store.calls.outcomes({ from, to });
  const range = { mode: 'live', from: dayOf(from), to: dayOf(to) } as const;
  const uses = await usageOfClients(store, await store.usageRecords.sources(range), range);
  const sold = await store.issuedLicenses.revenue({ mode: 'live', from, to, now });
  const names = await clientNames(store);
  const clientIds = [...new Set([...counts, ...uses, ...sold].map(({ clientId }) => clientId))];
  clientIds.sort((a, b) => names.label(a).localeCompare(names.label(b)));
  const table: SheetTable = {
    title: 'Clients',
    columns: [
      ...['Client', '# Requests', '# Errors', '# Streams', '# Downloads', '# Syncs', '# Seconds'],
      ...['# Licenses', '# Revenue, net of tax'],
    ],
    rows: clientIds.map((clientId) => {
      const isOwn = (one: { clientId: string }) => one.clientId === clientId;
      const own = counts.filter(isOwn);
      const revenue = sold.filter(isOwn);
      return [
        ...[names.label(clientId), sum(own), sum(own.filter(({ outcome }) => outcome !== 'ok'))],
        ...usageCells(uses.find(isOwn) ?? totalsOf([])),
        revenue.reduce((all, { licenses }) => all + licenses, 0),
        revenue.map((one) => `${money(one.amountMinor, one.currency)} ${one.currency}`).join(', '),
      ];
    }),
    clientIds,
    empty: 'no client has done anything in these months',
  };
  return { title: 'Statements', facts: timeFacts(months, now), tables: [table], at: now };
}
