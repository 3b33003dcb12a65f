import { totalmem } from 'node:os';
import pg from 'pg';
import { openPeerCatalog, type PeerTrack } from '../catalog-rows.ts';

/** The address of a local PostgreSQL. Its user must be allowed to create databases. */
const POSTGRES_URL =
  process.env.STAVE_TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

const DATABASE = 'stave_bench';

/**
 * The settings that the manual of PostgreSQL recommends for a machine with fast disks and few other programs.
 */
const SETTINGS = {
  jit: 'off',
  work_mem: '64MB',
  random_page_cost: '1.1',
  effective_io_concurrency: '200',
  effective_cache_size: `${Math.floor((totalmem() * 0.75) / 1024 / 1024)}MB`,
  // There are so many callers that every core executes its own query.
  max_parallel_workers_per_gather: '0',
  // Allows one or two typos in a word of five letters or more.
  'pg_trgm.word_similarity_threshold': '0.3',
};

const TABLES = `
CREATE EXTENSION pg_trgm;
CREATE TABLE filters (no integer PRIMARY KEY, id uuid NOT NULL UNIQUE);
CREATE TABLE tracks (
  id uuid NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  has_vocals boolean NOT NULL,
  released_at timestamptz NOT NULL,
  filter_nos integer[] NOT NULL,
  document text NOT NULL
);`;

const INDEXES = `
SET maintenance_work_mem = '1GB';
ALTER TABLE tracks ADD PRIMARY KEY (id);
CREATE INDEX ON tracks (released_at DESC, id);
CREATE INDEX ON tracks (type, released_at DESC, id);
CREATE INDEX ON tracks (has_vocals, released_at DESC, id);
CREATE INDEX ON tracks USING gin (filter_nos);
CREATE INDEX ON tracks USING gin (name gin_trgm_ops);`;

/** A database that contains the whole catalog. */
export interface PeerDatabase {
  url: string;
  secondsToLoad: number;
  sizeMegabytes: number;
  /** The version of the server. */
  version: string;
  /** The ids of the server processes of all open connections. */
  backendPids(): Promise<number[]>;
  drop(): Promise<void>;
}

/**
 * Drops and creates the database, loads the catalog, builds the indexes and updates the statistics of the
 * planner. Returns undefined if PostgreSQL or pg_trgm is not available. Takes about three minutes for a million
 * tracks.
 */
export async function createPeerDatabase(catalogPath: string): Promise<PeerDatabase | undefined> {
  const admin = new pg.Client({ connectionString: POSTGRES_URL, connectionTimeoutMillis: 3_000 });
  try {
    await admin.connect();
    await admin.query(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${DATABASE}`);
  } catch {
    await admin.end().catch(() => {});
    return undefined;
  }
  for (const [name, value] of Object.entries(SETTINGS)) {
    await admin.query(`ALTER DATABASE ${DATABASE} SET ${name} = '${value}'`);
  }
  const address = new URL(POSTGRES_URL);
  address.pathname = `/${DATABASE}`;
  const startedAt = performance.now();
  await fill(address.href, catalogPath);
  const sizes = await admin.query(`SELECT pg_database_size('${DATABASE}')::float8 / 1e6 AS size`);
  const { rows } = await admin.query('SHOW server_version');
  return {
    url: address.href,
    secondsToLoad: (performance.now() - startedAt) / 1000,
    sizeMegabytes: sizes.rows[0].size,
    version: rows[0].server_version,
    async backendPids() {
      const backends = await admin.query('SELECT pid FROM pg_stat_activity WHERE datname = $1', [
        DATABASE,
      ]);
      return backends.rows.map(({ pid }) => pid);
    },
    async drop() {
      await admin.query(`DROP DATABASE ${DATABASE} WITH (FORCE)`);
      await admin.end();
    },
  };
}

async function fill(url: string, catalogPath: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const catalog = await openPeerCatalog(catalogPath);
  try {
    await client.query(TABLES);
    await client.query(
      'INSERT INTO filters SELECT no, id FROM unnest($1::uuid[]) WITH ORDINALITY AS given (id, no)',
      [catalog.filterIds],
    );
    for await (const slice of catalog.tracks) {
      await insert(client, slice);
    }
    await client.query(INDEXES);
    await client.query('VACUUM ANALYZE');
  } finally {
    await catalog.close();
    await client.end();
  }
}

/**
 * Inserts a slice in one statement. Filter lists are sent as texts, because all inner arrays must have the
 * same length.
 */
async function insert(client: pg.Client, tracks: readonly PeerTrack[]): Promise<void> {
  await client.query(
    `INSERT INTO tracks
     SELECT id, name, type, has_vocals, to_timestamp(released_at / 1000), filter_nos::integer[], document
     FROM unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[], $5::float8[], $6::text[], $7::text[])
       AS given (id, name, type, has_vocals, released_at, filter_nos, document)`,
    [
      tracks.map(({ id }) => id),
      tracks.map(({ name }) => name),
      tracks.map(({ type }) => type),
      tracks.map(({ hasVocals }) => hasVocals),
      tracks.map(({ releasedAt }) => releasedAt),
      tracks.map(({ filterNos }) => `{${filterNos.join(',')}}`),
      tracks.map(({ document }) => document),
    ],
  );
}
