import { limited } from '../common/work/limited.ts';
import { ApartHandler } from '../engines/http/route/apart.ts';
import type { SentRequest, SentResponse } from '../engines/http/route/route.ts';
import { IdempotencyStore } from '../engines/idempotency/idempotency-store.ts';
import type { SqlDatabase } from '../engines/sql/database.ts';
import { SettingStore } from '../engines/sql/setting-store.ts';
import { IssuedLicenseStore } from '../features/licensing/store/issued-license-store.ts';
import type { Store } from '../features/store.ts';
import { reportUsage } from '../features/usage/routes/report-usage.ts';
import { UsageStore } from '../features/usage/store/usage-store.ts';
import type { CountEvents } from '../features/usage/usage.ts';

/**
 * Returns what handles reports of usage in the thread of the second connection; undefined if the store has none. A report
 * takes 40 ms, most of it in statements and in waiting for the disk. The rest, such as the check of 500 events, would
 * delay other requests as well.
 */
export function reportsApart(
  { runApart }: Pick<Store, 'runApart'>,
  count: CountEvents,
  maxAgeDays: number,
): ((sent: SentRequest) => Promise<SentResponse>) | undefined {
  if (runApart === undefined) return undefined;
  const module = new URL(import.meta.url);
  return async (sent) => {
    const { response, counted } = (await runApart(module, sent, maxAgeDays)) as Handled;
    for (const counts of counted) count(...counts);
    return response;
  };
}

interface Handled {
  response: SentResponse;
  /** What is counted since the last response, perhaps of another report. */
  counted: Parameters<CountEvents>[];
}

/** The others wait as bytes: what is made of a body takes several times as much memory. */
const inTurn = limited(2);
let handler: ApartHandler | undefined;
/** By the clock of the serving thread, when it sent the last request. */
let now = 0;
const counted: Parameters<CountEvents>[] = [];

/**
 * Handles a report in the thread of the second connection.
 * @public
 */
export async function run(
  database: SqlDatabase,
  sent: SentRequest,
  maxAgeDays: number,
): Promise<Handled> {
  now = sent.now;
  const reports = handler ?? handlerOn(database, maxAgeDays);
  handler = reports;
  const response = await inTurn(() => reports.handle(sent));
  return { response, counted: counted.splice(0) };
}

function handlerOn(database: SqlDatabase, maxAgeDays: number): ApartHandler {
  const clock = { now: () => now };
  const route = reportUsage({
    usage: new UsageStore(database, new SettingStore(database, clock), clock),
    count: (...counts) => counted.push(counts),
    licenses: new IssuedLicenseStore(database, clock),
    clock,
    maxAgeDays,
  });
  return new ApartHandler(route, new IdempotencyStore(database, clock));
}
