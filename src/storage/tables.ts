/**
 * The tables that make up the record, column by column, for moving it from one adapter to another
 * (docs/adr/0018-migrate-store.md). Both schemas have them under the same names; a migration that adds
 * a table or a column adds it here, or to LEFT_BEHIND.
 */

/** One value, the same from every adapter. */
export type Field = string | number | boolean | Buffer | null;
/** The values of one row, in the order of its table's columns. */
export type TableRow = readonly Field[];
/** The first values of a row: those of its key. */
export type TableKey = readonly (string | number)[];

/** One table of the record. */
export interface Table {
  name: string;
  /** The key's first. */
  columns: readonly string[];
  /** How many of the columns are the key. */
  keyLength: number;
  /** Columns that hold true and false, which SQLite has as 1 and 0. */
  booleans: readonly string[];
  /** How many rows are moved at once: a few megabytes. */
  slice: number;
  /** In SQL: which rows belong to the record, where not all do. */
  where?: string;
}

/** The setting that a database bears while a migration into it is unfinished. */
export const MIGRATION = 'migration';

const WIDE = 2_000;
const NARROW = 10_000;

/** In an order in which what is referred to comes first. */
export const TABLES: readonly Table[] = [
  table('artists', 1, 'no id external_id name'),
  table('filters', 1, 'no id slug type name'),
  {
    ...table(
      'tracks',
      1,
      'no id slug state source external_id name type has_vocals released_at duration_seconds bpm ' +
        'song_keys isrc audio_key artwork_key fingerprint created_at updated_at document',
    ),
    booleans: ['has_vocals'],
    slice: WIDE,
  },
  table('track_artists', 2, 'track_no artist_no'),
  table('track_filters', 2, 'track_no filter_no'),
  table('slug_series', 2, 'kind base next'),
  {
    ...table('clients', 1, 'no id name scopes features rate_limit enabled created_at'),
    booleans: ['enabled'],
  },
  table('client_secrets', 1, 'no id client_no mode hash created_at revoked_at'),
  table('playlists', 1, 'no id slug name description created_at updated_at'),
  table('playlist_tracks', 2, 'playlist_no position track_no'),
  table('playlist_grants', 2, 'playlist_no client_no'),
  table('signing_keys', 1, 'no id purpose secret created_at retired_at'),
  table('licences', 1, 'no external_id track_no mode licensed_at client_id'),
  table('change_log', 1, 'seq at entity kind entity_id by batch_id'),
  { ...table('settings', 1, 'name value'), slice: WIDE, where: `name <> '${MIGRATION}'` },
];

/** Tables of one adapter or of one moment; what of them is worth moving is in Counters. */
export const LEFT_BEHIND: readonly string[] = [
  'change_log_head',
  'removed_numbers',
  'leases',
  'delivery_sessions',
  'delivered_tracks',
  'previewed_tracks',
  'stave_schema',
];

/** How far numbers were given, beyond what the tables hold by now: none is given twice. */
export interface Counters {
  changeLog: number;
  /** Of tracks that were removed. */
  removedTracks: number;
  filters: number;
}

/** The record's tables as they stand, for moving them; nothing here is in the change log. */
export interface TableStore {
  /** The database as messages name it, without secrets. */
  readonly place: string;
  /** Tables, and columns as `table.column`, that a newer version of Stave made; they cannot be moved. */
  strangers(): Promise<string[]>;
  count(table: Table): Promise<number>;
  /** Of the last row in key order; null where there is none. */
  lastKey(table: Table): Promise<TableKey | null>;
  /** So many rows after a key, in key order; null: from the first on. */
  rowsAfter(table: Table, key: TableKey | null, limit: number): Promise<TableRow[]>;
  /**
   * Adds rows in one transaction. Throws OperatorError where the last row is not that of `after` any
   * more: then somebody else writes too.
   */
  append(table: Table, after: TableKey | null, rows: readonly TableRow[]): Promise<void>;
  counters(): Promise<Counters>;
  /** Sets the counters, and makes the database ready for use after so many rows. */
  settle(counters: Counters): Promise<void>;
  /** Sets MIGRATION where the record is empty; whether it was. */
  claim(value: string): Promise<boolean>;
}

/** The first values of a row. */
export function keyOf(table: Table, row: TableRow): TableKey {
  return row.slice(0, table.keyLength) as unknown as TableKey;
}

/** The names of a table's key, for ORDER BY. */
export function keyColumns({ columns, keyLength }: Table): string[] {
  return columns.slice(0, keyLength);
}

/** What a schema has beyond TABLES, given each of its columns by table. */
export function strangersAmong(found: readonly { table: string; column: string }[]): string[] {
  const strange = new Set<string>();
  for (const { table: name, column } of found) {
    if (LEFT_BEHIND.includes(name)) continue;
    const known = TABLES.find((one) => one.name === name);
    if (known === undefined) strange.add(name);
    else if (!known.columns.includes(column)) strange.add(`${name}.${column}`);
  }
  return [...strange].sort();
}

function table(name: string, keyLength: number, columns: string): Table {
  return { name, keyLength, columns: columns.split(' '), booleans: [], slice: NARROW };
}
