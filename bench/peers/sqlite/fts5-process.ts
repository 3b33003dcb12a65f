/**
 * Executes the same queries in SQLite with FTS5, in one process without HTTP: builds a database of the catalog
 * and times each kind of the mix. Reads an `Fts5Job` as JSON and prints an `Fts5Result`.
 */
import { readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Quantiles, quantiles } from '../../figures.ts';
import { MIX_KINDS } from '../../queries/kinds.ts';
import { QueryStream } from '../../queries/mix.ts';
import { Vocabulary } from '../../queries/vocabulary.ts';
import { readRealParts } from '../../real-parts.ts';
import { openPeerCatalog, type PeerCatalog } from '../catalog-rows.ts';
import { Fts5Catalog } from './fts5-catalog.ts';

export interface Fts5Job {
  /** The path of the database of Stave, from which the catalog is read. */
  catalog: string;
  /** The path of the database that the peer creates. */
  file: string;
  size: number;
  dataFolder: string;
  /** The greatest time of each kind. */
  seconds: number;
}

export interface Fts5Result {
  secondsToLoad: number;
  sizeMegabytes: number;
  /** Milliseconds by kind of query. */
  times: Record<keyof typeof MIX_KINDS | 'mix', Quantiles>;
  /** The rate of the mix, with one query after the other. */
  queriesPerSecond: number;
}

const TABLES = `
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -1000000;
PRAGMA mmap_size = 4000000000;
CREATE TABLE tracks (
  no INTEGER PRIMARY KEY, type TEXT NOT NULL, has_vocals INTEGER NOT NULL,
  released_at INTEGER NOT NULL, document TEXT NOT NULL) STRICT;
CREATE TABLE track_filters (
  filter_no INTEGER NOT NULL, track_no INTEGER NOT NULL,
  PRIMARY KEY (filter_no, track_no)) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE pieces USING fts5 (name, content = '', tokenize = 'trigram');
CREATE VIRTUAL TABLE words USING fts5 (
  name, content = '', tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3');`;

const INDEXES = `
CREATE INDEX tracks_newest ON tracks (released_at DESC, no);
CREATE INDEX tracks_by_type ON tracks (type, released_at DESC, no);
CREATE INDEX tracks_by_vocals ON tracks (has_vocals, released_at DESC, no);
CREATE INDEX filters_of_track ON track_filters (track_no);
INSERT INTO pieces (pieces) VALUES ('optimize');
INSERT INTO words (words) VALUES ('optimize');
ANALYZE;`;

async function run(job: Fts5Job): Promise<Fts5Result> {
  const database = new DatabaseSync(job.file);
  const catalog = await openPeerCatalog(job.catalog);
  const startedAt = performance.now();
  await fill(database, catalog);
  const secondsToLoad = (performance.now() - startedAt) / 1000;
  await catalog.close();

  const peer = new Fts5Catalog(database, catalog.filterIds);
  const vocabulary = new Vocabulary(await readRealParts(job.dataFolder), job.size);
  const times: Record<string, Quantiles> = {};
  let queriesPerSecond = 0;
  for (const kind of [...Object.keys(MIX_KINDS), 'mix'] as (keyof typeof MIX_KINDS | 'mix')[]) {
    const milliseconds = timed(
      peer,
      new QueryStream(kind, vocabulary, 'the peers'),
      kind === 'mix' ? job.seconds * 3 : job.seconds,
    );
    queriesPerSecond = (1000 * milliseconds.length) / milliseconds.reduce((a, b) => a + b, 0);
    times[kind] = quantiles(milliseconds);
  }
  database.close();
  return {
    secondsToLoad,
    sizeMegabytes: statSync(job.file).size / 1e6,
    times: times as Fts5Result['times'],
    queriesPerSecond,
  };
}

async function fill(database: DatabaseSync, catalog: PeerCatalog): Promise<void> {
  database.exec(TABLES);
  const track = database.prepare('INSERT INTO tracks VALUES (?, ?, ?, ?, ?)');
  const filter = database.prepare('INSERT INTO track_filters VALUES (?, ?)');
  const piece = database.prepare('INSERT INTO pieces (rowid, name) VALUES (?, ?)');
  const word = database.prepare('INSERT INTO words (rowid, name) VALUES (?, ?)');
  database.exec('BEGIN');
  for await (const slice of catalog.tracks) {
    for (const { no, name, type, hasVocals, releasedAt, filterNos, document } of slice) {
      track.run(no, type, hasVocals ? 1 : 0, releasedAt, document);
      for (const filterNo of filterNos) filter.run(filterNo, no);
      piece.run(no, name);
      word.run(no, name);
    }
  }
  database.exec('COMMIT');
  database.exec(INDEXES);
}

/** Times at least ten queries, after one as warm-up. */
function timed(peer: Fts5Catalog, stream: QueryStream, seconds: number): number[] {
  const milliseconds: number[] = [];
  peer.run(stream.next());
  const endsAt = performance.now() + seconds * 1000;
  while (performance.now() < endsAt || milliseconds.length < 10) {
    const query = stream.nextNew();
    if (query === undefined) break;
    const startedAt = performance.now();
    peer.run(query);
    milliseconds.push(performance.now() - startedAt);
  }
  return milliseconds;
}

const result = await run(JSON.parse(readFileSync(0, 'utf8')));
process.stdout.write(`${JSON.stringify(result)}\n`);
