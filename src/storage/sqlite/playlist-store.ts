import type { Playlist, PlaylistSummary, PlaylistWithTracks } from '../../catalog/playlist.ts';
import { slugBase } from '../../catalog/slug.ts';
import type { PlaylistStore } from '../../catalog/store.ts';
import type { ChangeKind } from '../../changes/change-log.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import { StaveError } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { ChangeAppender } from './change-log.ts';
import type { Database } from './database.ts';
import { allocateSlug, releaseSlug } from './slug-allocator.ts';

type PlaylistRow = Playlist & { no: number };

const COLUMNS =
  'p.no, p.id, p.name, p.slug, p.description, p.created_at AS createdAt, p.updated_at AS updatedAt';

/** Playlists on SQLite. */
export class SqlitePlaylistStore implements PlaylistStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changes: ChangeAppender;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#changes = new ChangeAppender(database, clock);
  }

  create(
    playlist: Omit<Playlist, 'slug'>,
    trackIds: readonly string[],
    by: Actor,
  ): Promise<Playlist> {
    return this.#database.write(() => {
      const { id, name, description, createdAt, updatedAt } = playlist;
      if (this.#row('id', id) !== undefined) {
        throw new StaveError('conflict', `There is a playlist ${id} already.`);
      }
      const slug = allocateSlug(this.#database, 'playlist', slugBase('playlist', name, id));
      const { lastInsertRowid } = this.#database
        .prepare(`
          INSERT INTO playlists (id, slug, name, description, created_at, updated_at)
          VALUES (?, ?, ?, ?, ?, ?)`)
        .run(id, slug, name, description, createdAt, updatedAt);
      this.#insertTracks(Number(lastInsertRowid), trackIds);
      this.#log('created', id, by);
      return { id, name, slug, description, createdAt, updatedAt };
    });
  }

  update(
    id: string,
    change: { name?: string; description?: string },
    by: Actor,
  ): Promise<Playlist> {
    return this.#database.write(() => {
      const { no, ...before } = this.#existing(id);
      const name = change.name ?? before.name;
      const description = change.description ?? before.description;
      if (name === before.name && description === before.description) return before;
      const updatedAt = this.#clock.now();
      this.#database
        .prepare('UPDATE playlists SET name = ?, description = ?, updated_at = ? WHERE no = ?')
        .run(name, description, updatedAt, no);
      this.#log('updated', id, by);
      return { ...before, name, description, updatedAt };
    });
  }

  async delete(id: string, by: Actor): Promise<void> {
    await this.#database.write(() => {
      const { no, slug } = this.#existing(id);
      this.#database.prepare('DELETE FROM playlists WHERE no = ?').run(no);
      releaseSlug(this.#database, 'playlist', slug);
      this.#log('deleted', id, by);
    });
  }

  setTracks(
    id: string,
    trackIds: readonly string[],
    by: Actor,
    expected?: readonly string[],
  ): Promise<boolean> {
    return this.#database.write(() => {
      const { no } = this.#existing(id);
      const before = this.#trackIds(no);
      if (expected !== undefined && !sameList(before, expected)) return false;
      if (sameList(before, trackIds)) return true;
      this.#database.prepare('DELETE FROM playlist_tracks WHERE playlist_no = ?').run(no);
      this.#insertTracks(no, trackIds);
      this.#database
        .prepare('UPDATE playlists SET updated_at = ? WHERE no = ?')
        .run(this.#clock.now(), no);
      this.#log('updated', id, by);
      return true;
    });
  }

  grant(id: string, clientId: string, by: Actor): Promise<boolean> {
    return this.#database.write(() => {
      const { changes } = this.#database
        .prepare('INSERT INTO playlist_grants VALUES (?, ?) ON CONFLICT DO NOTHING')
        .run(this.#existing(id).no, this.#clientNo(clientId));
      if (changes === 0) return false;
      this.#log('granted', id, by);
      return true;
    });
  }

  revoke(id: string, clientId: string, by: Actor): Promise<boolean> {
    return this.#database.write(() => {
      const { changes } = this.#database
        .prepare('DELETE FROM playlist_grants WHERE playlist_no = ? AND client_no = ?')
        .run(this.#existing(id).no, this.#clientNo(clientId));
      if (changes === 0) return false;
      this.#log('revoked', id, by);
      return true;
    });
  }

  find(slugOrId: string, among?: ReadonlySet<string>): Promise<PlaylistWithTracks | undefined> {
    return this.#database.view(() => {
      const row = isUuid(slugOrId)
        ? this.#row('id', slugOrId.toLowerCase())
        : this.#row('slug', slugOrId);
      if (row === undefined || among?.has(row.id) === false) return undefined;
      const { no, ...playlist } = row;
      return { ...playlist, trackIds: this.#trackIds(no) };
    });
  }

  async list(filter: { clientId?: string }): Promise<PlaylistSummary[]> {
    const granted = `
      WHERE p.no IN (SELECT playlist_no FROM playlist_grants
                     WHERE client_no = (SELECT no FROM clients WHERE id = ?))`;
    const sql = `
      SELECT ${COLUMNS}, count(t.no) AS trackCount,
             coalesce(sum(t.duration_seconds), 0) AS durationSeconds
      FROM playlists p
      LEFT JOIN playlist_tracks pt ON pt.playlist_no = p.no
      LEFT JOIN tracks t ON t.no = pt.track_no AND t.state = 'live'
      ${filter.clientId === undefined ? '' : granted}
      GROUP BY p.no ORDER BY p.name, p.id`;
    const parameters = filter.clientId === undefined ? [] : [filter.clientId];
    const rows = await this.#database.read(() => this.#database.prepare(sql).all(...parameters));
    return rows.map(({ no: _no, ...summary }) => summary as unknown as PlaylistSummary);
  }

  grantsOf(id: string): Promise<string[]> {
    return this.#database.view(() => {
      const sql = `
        SELECT id FROM playlist_grants JOIN clients ON no = client_no
        WHERE playlist_no = ? ORDER BY created_at, id`;
      const rows = this.#database.prepare(sql).all(this.#existing(id).no);
      return rows.map((row) => row.id as string);
    });
  }

  #insertTracks(playlistNo: number, trackIds: readonly string[]): void {
    const find = this.#database.prepare('SELECT no FROM tracks WHERE id = ?');
    const insert = this.#database.prepare(
      'INSERT INTO playlist_tracks (playlist_no, position, track_no) VALUES (?, ?, ?)',
    );
    const seen = new Set<string>();
    for (const [position, id] of trackIds.entries()) {
      if (seen.has(id)) {
        throw new StaveError(
          'conflict',
          `The track ${id} is listed twice; a playlist holds it once.`,
        );
      }
      seen.add(id);
      const track = find.get(id);
      if (track === undefined) throw new StaveError('not_found', `There is no track ${id}.`);
      insert.run(playlistNo, position, track.no as number);
    }
  }

  #trackIds(playlistNo: number): string[] {
    const sql = `
      SELECT t.id FROM playlist_tracks pt JOIN tracks t ON t.no = pt.track_no
      WHERE pt.playlist_no = ? ORDER BY pt.position`;
    return this.#database
      .prepare(sql)
      .all(playlistNo)
      .map((row) => row.id as string);
  }

  #row(key: 'id' | 'slug', value: string): PlaylistRow | undefined {
    const sql = `SELECT ${COLUMNS} FROM playlists p WHERE p.${key} = ?`;
    const row = this.#database.prepare(sql).get(value);
    return row === undefined ? undefined : ({ ...row } as unknown as PlaylistRow);
  }

  #existing(id: string): PlaylistRow {
    const row = this.#row('id', id);
    if (row === undefined) throw new StaveError('not_found', `There is no playlist ${id}.`);
    return row;
  }

  #clientNo(id: string): number {
    const row = this.#database.prepare('SELECT no FROM clients WHERE id = ?').get(id);
    if (row === undefined) throw new StaveError('not_found', `There is no client ${id}.`);
    return row.no as number;
  }

  #log(kind: ChangeKind<'playlist'>, id: string, by: Actor): void {
    this.#changes.append('playlist', kind, id, { by, batchId: null });
  }
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
