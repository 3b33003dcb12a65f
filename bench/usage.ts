import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readConfig } from '../src/app/config/config.ts';
import { DATABASE_FILE } from '../src/app/open/data-folder.ts';
import { locationOf, openStore } from '../src/app/open/open-store.ts';
import { DAY_MS, systemClock } from '../src/common/clock.ts';
import { silentLog } from '../src/common/log.ts';
import { seededRandom } from '../src/common/seeded-random.ts';
import { createDatabase, POSTGRES_URL } from '../test/harness/services.ts';
import { loadUntil } from './beside.ts';
import { createBenchClient, tokenFor } from './client.ts';
import { shown, shownSpread, spread } from './figures.ts';
import type { LoadJob } from './load.ts';
import { pageMixes } from './page.ts';
import { load, serve } from './processes.ts';
import type { Row } from './row.ts';
import { importRealTracks } from './start.ts';
import {
  COUNTRIES,
  DAYS,
  type FilledDatabase,
  postgresDatabase,
  sqliteFile,
  storeUsage,
} from './stored-usage.ts';

const PORT = 18_160;
/** The most events of a report. */
const EVENTS = 500;
/** The connections that send reports at the same time. */
const CONNECTIONS = 4;
/** The reports of a round: about six seconds at the goal. */
const REPORTS = 120;
/** As beside a snapshot: about a tenth of a core, so that latencies show delays and not a full queue. */
const READS = { connections: 8, perSecond: 200, seconds: 8 };
const GROUPS = ['day', 'month', 'type', 'country', 'track'];
/** The summaries of a group: each covers a year. */
const SUMMARIES = 40;

interface UsageOptions {
  folder: string;
  dataFolder: string;
  rounds: number;
  /** The events that are stored before, spread over a year. */
  events: number;
  databases: readonly ('sqlite' | 'postgres')[];
}

/** Measures reports of usage, other requests beside them, and summaries of a year, on each of the databases. */
export async function measureUsage(options: UsageOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of options.databases) {
    if (name === 'sqlite') rows.push(...(await measureOnSqlite(options)));
    else if (POSTGRES_URL !== undefined) rows.push(...(await measureOnPostgres(options)));
    else rows.push({ what: 'PostgreSQL', figure: 'left out: there is none', goal: '' });
  }
  return rows;
}

async function measureOnSqlite(options: UsageOptions): Promise<Row[]> {
  const folder = join(options.folder, 'usage');
  const open = async () => sqliteFile(join(folder, DATABASE_FILE));
  return measureOn('SQLite', 10_000, { STAVE_DATA: folder }, options, open);
}

async function measureOnPostgres(options: UsageOptions): Promise<Row[]> {
  await using database = await createDatabase();
  const settings = {
    STAVE_DATA: join(options.folder, 'usage-postgres'),
    STAVE_DATABASE_URL: database.url,
  };
  // The database is dropped at the end of this function.
  return await measureOn('PostgreSQL', 5_000, settings, options, () =>
    postgresDatabase(database.url),
  );
}

async function measureOn(
  name: string,
  goal: number,
  settings: Record<string, string>,
  { dataFolder, folder, rounds, events }: UsageOptions,
  open: () => Promise<FilledDatabase>,
): Promise<Row[]> {
  await importRealTracks(folder, dataFolder, settings);
  const client = await createBenchClient(settings, 'usage');
  const database = await open();
  const tracks = await storeUsage(database, { clientId: client.clientId, events });
  await database.close();
  await prepareSummaries(settings);
  const server = await serve(settings, PORT);
  try {
    const headers = { authorization: await tokenFor(PORT, client) };
    const on = `${name}, ${events.toLocaleString('en')} events stored`;
    const summaries = await measureSummaries(on, headers);
    const before = await countedEvents(headers);
    const reports = new Reports(tracks, headers);
    const rows = [
      ...(await measureReports(on, goal, reports, rounds)),
      ...(await measureBeside(on, goal, reports, headers)),
      ...summaries,
    ];
    const counted = (await countedEvents(headers)) - before;
    if (counted !== reports.sent) {
      throw new Error(`${name} counts ${counted} of ${reports.sent} events`);
    }
    return rows;
  } finally {
    await server.stop();
  }
}

/** Does what the service does once an hour, so that it does not do it beside what is measured. */
async function prepareSummaries(settings: Record<string, string>): Promise<void> {
  const location = locationOf(readConfig(settings));
  const store = await openStore(location, { clock: systemClock, log: silentLog });
  await store.usage.prepareSummaries();
  await store.close();
}

async function measureReports(
  on: string,
  goal: number,
  reports: Reports,
  rounds: number,
): Promise<Row[]> {
  await load(reports.next(20));
  const rates: number[] = [];
  const slow: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { requestsPerSecond, p99 } = await load(reports.next(REPORTS));
    rates.push(requestsPerSecond * EVENTS);
    slow.push(p99);
  }
  return [
    {
      what: `${on}: events accepted, in reports of ${EVENTS} on ${CONNECTIONS} connections`,
      figure: `${shownSpread(spread(rates))} events/s; p99 of a report ${shownSpread(spread(slow), ' ms')}`,
      goal: `${goal.toLocaleString('en')} events/s`,
    },
  ];
}

async function measureBeside(
  on: string,
  goal: number,
  reports: Reports,
  headers: Record<string, string>,
): Promise<Row[]> {
  const { perSecond, seconds } = READS;
  const pages = { port: PORT, paths: pageMixes()['every page in turn']!, headers, ...READS };
  await load({ ...pages, seconds: 2 });
  const alone = await load(pages);
  const rows: Row[] = [];
  for (const eventsPerSecond of [goal, goal / 2]) {
    const reportsPerSecond = eventsPerSecond / EVENTS;
    const job = { ...reports.next(reportsPerSecond * seconds * 2), perSecond: reportsPerSecond };
    const reporting = load(job);
    const beside = await loadUntil(reporting, { ...pages, seconds: seconds / 2 });
    const rate = (await reporting).requestsPerSecond * EVENTS;
    rows.push({
      what: `${on}: latency of pages (${perSecond} requests/s) beside ${shown(rate)} events/s`,
      figure: `p99 ${shown(beside.p99)} ms, longest ${shown(beside.max)} ms; alone ${shown(alone.p99)} and ${shown(alone.max)} ms: ${shown(beside.p99 / alone.p99)} times`,
      goal: 'p99 under twice that of the idle service',
    });
  }
  return rows;
}

async function measureSummaries(on: string, headers: Record<string, string>): Promise<Row[]> {
  const today = Date.now();
  const from = new Date(today - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const rows: Row[] = [];
  for (const groupBy of GROUPS) {
    // Each is another page, so that a cache, if there were one, would not help.
    const paths = Array.from(
      { length: SUMMARIES },
      (_, i) => `/v1/usage/summary?from=${from}&groupBy=${groupBy}&page=${i + 1}`,
    );
    const times = await load({
      port: PORT,
      paths,
      headers,
      connections: 1,
      seconds: 60,
      once: true,
    });
    rows.push({
      what: `${on}: summary of a year by ${groupBy}, one after the other`,
      figure: `p50 ${shown(times.p50)} ms, p99 ${shown(times.p99)} ms`,
      goal: 'p99 under 100 ms',
    });
  }
  return rows;
}

/** Returns the number of events that the summary of the last 400 days counts. */
async function countedEvents(headers: Record<string, string>): Promise<number> {
  const from = new Date(Date.now() - 399 * DAY_MS).toISOString().slice(0, 10);
  const response = await fetch(`http://127.0.0.1:${PORT}/v1/usage/summary?from=${from}`, {
    headers,
  });
  const { data } = (await response.json()) as { data: { totals: Record<string, number> } };
  return data.totals.streams! + data.totals.downloads! + data.totals.syncs!;
}

/** Makes reports of new events of today. */
class Reports {
  readonly #tracks: readonly string[];
  readonly #headers: Record<string, string>;
  readonly #name = randomUUID();
  readonly #random = seededRandom('reports of usage');
  /** The number of events of all jobs. */
  sent = 0;

  constructor(tracks: readonly string[], headers: Record<string, string>) {
    this.#tracks = tracks;
    this.#headers = headers;
  }

  /** Returns a load that sends this many reports, each once. */
  next(count: number): LoadJob {
    return {
      port: PORT,
      paths: Array(count).fill('/v1/usage'),
      bodies: Array.from({ length: count }, () =>
        JSON.stringify({ events: Array.from({ length: EVENTS }, () => this.#event()) }),
      ),
      headers: this.#headers,
      connections: CONNECTIONS,
      // It ends with the last report.
      seconds: 120,
      once: true,
    };
  }

  #event() {
    const now = Date.now();
    return {
      eventId: `${this.#name}-${this.sent++}`,
      type: 'stream',
      trackId: this.#oneOf(this.#tracks),
      occurredAt: new Date(now - this.#random.integer(0, 60_000)).toISOString(),
      seconds: this.#random.integer(1, 300),
      userId: `user-${this.#random.integer(0, 100_000)}`,
      country: this.#oneOf(COUNTRIES),
      endReason: 'naturalEnd',
    };
  }

  /** Returns one of the list. The first ones are frequent, as in the stored events. */
  #oneOf(list: readonly string[]): string {
    return list[Math.floor(list.length * this.#random.next() ** 3)]!;
  }
}
