import { newId } from '../../src/common/ids.ts';
import { TABLES, type TableRow } from '../../src/engines/sql/copied-tables.ts';
import type { Store } from '../../src/features/store.ts';
import type { UsageEvent, UsageReport, UsageResult } from '../../src/features/usage/usage.ts';
import { stream } from '../contract/usage-support.ts';
import { delivery } from '../harness/deliveries.ts';

const CLIENT = newId();
const RECEIVED_AT = Date.UTC(2026, 7, 20);
const FINGERPRINT = Buffer.alloc(32, 7);
const KEPT = { status: 200, headers: { Location: '/v1/x' }, body: Buffer.from('{"data":1}') };

/** The events of a month that are many, and those of the month before it that are few. */
const [MANY, FEW] = [600, 20];
const EVENTS: readonly UsageEvent[] = [
  ...Array.from({ length: MANY }, (_, n) =>
    stream(`e-${n}`, n % 3, {
      occurredAt: RECEIVED_AT - n * 60_000,
      country: n % 2 === 0 ? 'DE' : null,
      userId: `user ${n % 5}`,
      offline: n % 2 === 1,
    }),
  ),
  ...Array.from({ length: FEW }, (_, n) =>
    stream(`s-${n}`, 1, {
      type: 'sync',
      occurredAt: RECEIVED_AT - 30 * 86_400_000,
      production: { id: `ep-${n % 2}`, title: 'Harbour Lights' },
      cue: { startSeconds: n, usage: 'BI' },
    }),
  ),
];

/** The numbers of rows that `addReportedUse` adds to each table. */
export const USE_ROWS = {
  usage_sources: 2,
  usage_tracks: 3,
  usage_event_ids: 2 * EVENTS.length,
  usage_events: 2 * EVENTS.length,
  productions: 4,
  idempotency_keys: 1,
};

function reportOf(mode: 'live' | 'test', events: readonly UsageEvent[]): UsageReport {
  const batchId = newId();
  return { clientId: CLIENT, mode, batchId, receivedAt: RECEIVED_AT, maxAgeDays: 90, events };
}

function countsOf(results: readonly UsageResult[]): Record<string, number> {
  const groups = Map.groupBy(results, ({ status }) => status);
  return Object.fromEntries([...groups].map(([status, { length }]) => [status, length]));
}

/** Returns how many events had each result. */
async function reportAll(store: Store): Promise<Record<string, number>> {
  const results: UsageResult[] = [];
  for (const mode of ['live', 'test'] as const) {
    for (let from = 0; from < EVENTS.length; from += 500) {
      const events = EVENTS.slice(from, from + 500);
      results.push(...(await store.usage.report(reportOf(mode, events))));
    }
  }
  return countsOf(results);
}

const keyed = (key: string) =>
  ({ clientId: CLIENT, mode: 'live', key, fingerprint: FINGERPRINT }) as const;

/**
 * Reports use of the first three deliveries, in both modes and two months. Keeps the response of a request with a key,
 * and leaves another one in progress.
 */
export async function addReportedUse(store: Store): Promise<void> {
  await reportAll(store);
  const claim = await store.idempotency.claim(keyed('done'));
  if ('until' in claim) await store.idempotency.keep(claim, KEPT);
  await store.idempotency.claim(keyed('in progress'));
}

/** Reports one event that was not reported before. Returns how many events had each result. */
export async function reportMore(store: Store): Promise<Record<string, number>> {
  const event = stream('new', 2, { occurredAt: RECEIVED_AT });
  const results = await store.usage.report(reportOf('live', [event]));
  return countsOf(results);
}

/** Returns what a store with reported use shows: equal values from equal stores. It repeats all reports. */
export async function shownUse(store: Store) {
  const query = { clientId: CLIENT, from: 20_000, to: 21_000 } as const;
  return {
    repeated: await reportAll(store),
    live: await store.usage.summary({ ...query, mode: 'live', groupBy: 'day' }),
    test: await store.usage.summary({ ...query, mode: 'test', groupBy: 'country' }),
    track: (await store.references.ofTrack(delivery(1).id, CLIENT, 'live'))?.usage,
    kept: await store.idempotency.claim(keyed('done')),
  };
}

/** What every store with the reported use shows, in part. */
export const SHOWN = {
  repeated: { duplicate: 2 * EVENTS.length },
  track: { events: MANY / 3 + FEW, lastOccurredAt: RECEIVED_AT - 60_000 },
  kept: KEPT,
};

/** Returns all rows of a store that a move copies, by table. */
export async function allRows(store: Store): Promise<Record<string, TableRow[]>> {
  const rows: Record<string, TableRow[]> = {};
  for (const table of TABLES) {
    rows[table.name] = await store.tables.rowsAfter(table, null, Number.MAX_SAFE_INTEGER);
  }
  return rows;
}
