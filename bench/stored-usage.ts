import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import pg from 'pg';
import { DAY_MS } from '../src/common/clock.ts';
import { monthOf } from '../src/features/usage/usage.ts';

/** The events of one year are spread over these countries, and most of them over the first ones. */
export const COUNTRIES = (
  'US DE GB FR ES IT NL SE BR MX JP CA AU PL BE AT CH DK NO FI PT IE CZ HU RO GR TR IL ZA IN ' +
  'ID PH TH VN MY SG KR TW HK NZ AR CL CO PE EC UY EG MA NG KE SA AE UA BG HR SK SI LT LV EE'
).split(' ');
export const DAYS = 365;

/** A number below `count` for each `i`: small ones are frequent, as popular tracks are. Both databases compute it. */
const skewed = (i: string, factor: number, count: number | string) => {
  const x = `(${i} * ${factor} / 4096 % 1048576)`;
  return `((${x} * ${x} * ${x} / 1099511627776) * ${count} / 1048576)`;
};

/** A database into which events are stored without the program. */
export interface FilledDatabase {
  run(sql: string, ...values: (string | number)[]): Promise<Record<string, unknown>[]>;
  /** An expression of this many bytes, which differ for each `i`. */
  bytes(count: 8 | 16 | 32): string;
  close(): Promise<void>;
}

/** Opens a SQLite file that no process uses. */
export function sqliteFile(path: string): FilledDatabase {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA temp_store = FILE');
  return {
    run: async (sql, ...values) => database.prepare(sql).all(...(values as SQLInputValue[])),
    bytes: (count) => `randomblob(${count})`,
    close: async () => database.close(),
  };
}

/** Opens a PostgreSQL database. */
export async function postgresDatabase(url: string): Promise<FilledDatabase> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("SET synchronous_commit = off; SET work_mem = '512MB'");
  return {
    run: async (sql, ...values) => {
      let place = 0;
      return (
        await client.query(
          sql.replaceAll('?', () => `$${++place}`),
          values,
        )
      ).rows;
    },
    bytes: (count) => `substr(sha256(i::text::bytea), 1, ${count})`,
    close: () => client.end(),
  };
}

/** Stores events of the last year of a client in live mode, as its reports would have. Returns the ids of all tracks. */
export async function storeUsage(
  { run, bytes }: FilledDatabase,
  { clientId, events }: { clientId: string; events: number },
): Promise<string[]> {
  const tracks = await run('SELECT id FROM tracks ORDER BY row_id');
  const numbers = (from: number, to: number) =>
    `WITH RECURSIVE numbers (i) AS (
       SELECT CAST(${from} AS bigint) UNION ALL SELECT i + 1 FROM numbers WHERE i < ${to - 1})`;
  await run("INSERT INTO usage_sources (client_id, mode) VALUES (?, 'live')", clientId);
  const [row] = await run(
    "SELECT row_id FROM usage_sources WHERE client_id = ? AND mode = 'live'",
    clientId,
  );
  const source = Number(row!.row_id);
  await run(
    'INSERT INTO usage_tracks (track_row_id, id, name, isrc) SELECT row_id, id, name, isrc FROM tracks',
  );
  await run('CREATE TEMP TABLE bench_tracks (place bigint PRIMARY KEY, track_row_id bigint)');
  await run(
    'INSERT INTO bench_tracks SELECT row_number() OVER (ORDER BY row_id) - 1, row_id FROM tracks',
  );
  await run('CREATE TEMP TABLE bench_countries (place bigint PRIMARY KEY, country text)');
  for (const [place, country] of COUNTRIES.entries()) {
    await run('INSERT INTO bench_countries VALUES (?, ?)', place, country);
  }
  const firstDay = Math.floor(Date.now() / DAY_MS) - DAYS + 1;
  for (let day = 0; day < DAYS; day++) {
    const [from, to] = [day, day + 1].map((end) => Math.floor((events * end) / DAYS));
    const time = (firstDay + day) * DAY_MS;
    await run(`
      INSERT INTO usage_events (month, source_row_id, event_id, type, track_row_id, occurred_at,
        received_at, batch_id, seconds, country, user_hash, end_reason, offline)
      ${numbers(from!, to!)}
      SELECT ${monthOf(time)}, ${source}, 'stored-' || i, CASE WHEN i % 12 = 0 THEN 2 ELSE 1 END,
        track_row_id, ${time} + i % ${DAY_MS}, ${time} + i % ${DAY_MS},
        '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41', CASE WHEN i % 12 = 0 THEN NULL ELSE 30 + i % 200 END,
        country, ${bytes(32)}, CASE WHEN i % 12 = 0 THEN NULL ELSE 'naturalEnd' END, ${bytes(8).startsWith('substr') ? 'false' : '0'}
      FROM numbers
      JOIN bench_tracks ON bench_tracks.place = ${skewed('i', 2_654_435_761, tracks.length)}
      JOIN bench_countries ON bench_countries.place = ${skewed('i', 3_266_489_917, COUNTRIES.length)}`);
  }
  await run(`
    INSERT INTO usage_event_ids (source_row_id, hash, content)
    ${numbers(0, events)}
    SELECT ${source}, ${bytes(16)}, ${bytes(8)} FROM numbers ORDER BY 2`);
  await run(`
    INSERT INTO usage_days (source_row_id, day, track_row_id, type, country, events, seconds, last_occurred_at)
    SELECT source_row_id, occurred_at / ${DAY_MS} AS day, track_row_id, type, country,
      count(*), coalesce(sum(seconds), 0), max(occurred_at)
    FROM usage_events GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`);
  await run(`
    INSERT INTO usage_days (source_row_id, day, track_row_id, type, country, events, seconds, last_occurred_at)
    SELECT source_row_id, day, 0, type, country, sum(events), sum(seconds), max(last_occurred_at)
    FROM usage_days GROUP BY 1, 2, 4, 5`);
  // PostgreSQL does so by itself some minutes after many writes.
  await run('ANALYZE');
  return tracks.map(({ id }) => id as string);
}
