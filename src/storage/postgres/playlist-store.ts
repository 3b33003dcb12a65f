import type { Playlist, PlaylistSummary, PlaylistWithTracks } from '../../catalog/playlist.ts';
import { slugBase } from '../../catalog/slug.ts';
import type { PlaylistStore } from '../../catalog/store.ts';
import type { ChangeKind } from '../../changes/change-log.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import { StaveError } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { ChangeAppender } from './change-log.ts';
import { numberOf } from './client-store.ts';
import type { Database, Transaction } from './database.ts';
import { allocateSlugs, releaseSlugs } from './slug-allocator.ts';

type PlaylistRow = Playlist & { no: number };

const COLUMNS =
  'p.no, p.id, p.name, p.slug, p.description, p.created_at AS "createdAt", p.updated_at AS "updatedAt"';

/** Playlists on PostgreSQL. */
export class PostgresPlaylistStore implements PlaylistStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changes: ChangeAppender;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#changes = new ChangeAppender(clock);
  }

  create(
    playlist: Omit<Playlist, 'slug'>,
    trackIds: readonly string[],
    by: Actor,
  ): Promise<Playlist> {
    return this.#database.write(async (tx) => {
      const { id, name, description, createdAt, updatedAt } = playlist;
      if ((await find(tx.rows, 'id', id)) !== undefined) {
        throw new StaveError('conflict', `There is a playlist ${id} already.`);
      }
      const [slug] = await allocateSlugs(tx, 'playlist', [slugBase('playlist', name, id)]);
      const [row] = await tx.rows<{ no: number }>(
        `INSERT INTO playlists (id, slug, name, description, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6) RETURNING no`,
        [id, slug!, name, description, createdAt, updatedAt],
      );
      await insertTracks(tx, row!.no, trackIds);
      await this.#log(tx, 'created', id, by);
      return { id, name, slug: slug!, description, createdAt, updatedAt };
    });
  }

  update(
    id: string,
    change: { name?: string; description?: string },
    by: Actor,
  ): Promise<Playlist> {
    return this.#database.write(async (tx) => {
      const { no, ...before } = await existing(tx, id);
      const name = change.name ?? before.name;
      const description = change.description ?? before.description;
      if (name === before.name && description === before.description) return before;
      const updatedAt = this.#clock.now();
      await tx.run(
        'UPDATE playlists SET name = $1, description = $2, updated_at = $3 WHERE no = $4',
        [name, description, updatedAt, no],
      );
      await this.#log(tx, 'updated', id, by);
      return { ...before, name, description, updatedAt };
    });
  }

  async delete(id: string, by: Actor): Promise<void> {
    await this.#database.write(async (tx) => {
      const { no, slug } = await existing(tx, id);
      await tx.run('DELETE FROM playlists WHERE no = $1', [no]);
      await releaseSlugs(tx, 'playlist', [slug]);
      await this.#log(tx, 'deleted', id, by);
    });
  }

  setTracks(
    id: string,
    wanted: readonly string[],
    by: Actor,
    expected?: readonly string[],
  ): Promise<boolean> {
    return this.#database.write(async (tx) => {
      const { no } = await existing(tx, id);
      const before = await trackIds(tx.rows, no);
      if (expected !== undefined && !sameList(before, expected)) return false;
      if (sameList(before, wanted)) return true;
      await tx.run('DELETE FROM playlist_tracks WHERE playlist_no = $1', [no]);
      await insertTracks(tx, no, wanted);
      await tx.run('UPDATE playlists SET updated_at = $1 WHERE no = $2', [this.#clock.now(), no]);
      await this.#log(tx, 'updated', id, by);
      return true;
    });
  }

  grant(id: string, clientId: string, by: Actor): Promise<boolean> {
    const sql = 'INSERT INTO playlist_grants VALUES ($1, $2) ON CONFLICT DO NOTHING';
    return this.#changeGrant(sql, 'granted', id, clientId, by);
  }

  revoke(id: string, clientId: string, by: Actor): Promise<boolean> {
    const sql = 'DELETE FROM playlist_grants WHERE playlist_no = $1 AND client_no = $2';
    return this.#changeGrant(sql, 'revoked', id, clientId, by);
  }

  find(slugOrId: string, among?: ReadonlySet<string>): Promise<PlaylistWithTracks | undefined> {
    return this.#database.view(async (tx) => {
      const row = isUuid(slugOrId)
        ? await find(tx.rows, 'id', slugOrId.toLowerCase())
        : await find(tx.rows, 'slug', slugOrId);
      if (row === undefined || among?.has(row.id) === false) return undefined;
      const { no, ...playlist } = row;
      return { ...playlist, trackIds: await trackIds(tx.rows, no) };
    });
  }

  async list(filter: { clientId?: string }): Promise<PlaylistSummary[]> {
    const granted = `
      WHERE p.no IN (SELECT playlist_no FROM playlist_grants
                     WHERE client_no = (SELECT no FROM clients WHERE id = $1))`;
    const sql = `
      SELECT ${COLUMNS}, count(t.no) AS "trackCount",
             coalesce(sum(t.duration_seconds), 0)::bigint AS "durationSeconds"
      FROM playlists p
      LEFT JOIN playlist_tracks pt ON pt.playlist_no = p.no
      LEFT JOIN tracks t ON t.no = pt.track_no AND t.state = 'live'
      ${filter.clientId === undefined ? '' : granted}
      GROUP BY p.no ORDER BY p.name, p.id`;
    const values = filter.clientId === undefined ? [] : [filter.clientId];
    const rows = await this.#database.rows<PlaylistSummary & { no: number }>(sql, values);
    return rows.map(({ no: _, ...summary }) => summary);
  }

  grantsOf(id: string): Promise<string[]> {
    return this.#database.view(async (tx) => {
      const { no } = await existing(tx, id);
      const sql = `
        SELECT id FROM playlist_grants JOIN clients ON no = client_no
        WHERE playlist_no = $1 ORDER BY created_at, id`;
      return (await tx.rows<{ id: string }>(sql, [no])).map((row) => row.id);
    });
  }

  #changeGrant(
    sql: string,
    kind: 'granted' | 'revoked',
    id: string,
    clientId: string,
    by: Actor,
  ): Promise<boolean> {
    return this.#database.write(async (tx) => {
      const { no } = await existing(tx, id);
      const clientNo = await numberOf(tx, clientId);
      if (clientNo === undefined) {
        throw new StaveError('not_found', `There is no client ${clientId}.`);
      }
      if ((await tx.run(sql, [no, clientNo])) === 0) return false;
      await this.#log(tx, kind, id, by);
      return true;
    });
  }

  #log(tx: Transaction, kind: ChangeKind<'playlist'>, id: string, by: Actor): Promise<void> {
    return this.#changes.append(tx, 'playlist', kind, id, { by, batchId: null });
  }
}

async function insertTracks(tx: Transaction, playlistNo: number, ids: readonly string[]) {
  const rows = await tx.rows<{ id: string; no: number }>(
    'SELECT id, no FROM tracks WHERE id = ANY($1::text[])',
    [ids],
  );
  const numbers = new Map(rows.map(({ id, no }) => [id, no]));
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) {
      throw new StaveError(
        'conflict',
        `The track ${id} is listed twice; a playlist holds it once.`,
      );
    }
    seen.add(id);
    if (!numbers.has(id)) throw new StaveError('not_found', `There is no track ${id}.`);
  }
  await tx.run(
    `INSERT INTO playlist_tracks (playlist_no, position, track_no)
     SELECT $1::bigint, place - 1, no FROM unnest($2::bigint[]) WITH ORDINALITY AS listed (no, place)`,
    [playlistNo, ids.map((id) => numbers.get(id)!)],
  );
}

async function trackIds(rows: Transaction['rows'], playlistNo: number): Promise<string[]> {
  const sql = `
    SELECT t.id FROM playlist_tracks pt JOIN tracks t ON t.no = pt.track_no
    WHERE pt.playlist_no = $1 ORDER BY pt.position`;
  return (await rows<{ id: string }>(sql, [playlistNo])).map(({ id }) => id);
}

async function find(
  rows: Transaction['rows'],
  key: 'id' | 'slug',
  value: string,
): Promise<PlaylistRow | undefined> {
  const sql = `SELECT ${COLUMNS} FROM playlists p WHERE p.${key} = $1`;
  return (await rows<PlaylistRow>(sql, [value]))[0];
}

async function existing(tx: Transaction, id: string): Promise<PlaylistRow> {
  const row = await find(tx.rows, 'id', id);
  if (row === undefined) throw new StaveError('not_found', `There is no playlist ${id}.`);
  return row;
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
