import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { delivery } from '../../../test/harness/catalog.ts';
import type { TrackDelivery } from '../../catalog/track.ts';
import { composeTrack, deliveryFingerprint, serialiseTrack } from '../../catalog/track-document.ts';
import { firstRelease } from './migrations/0001-first-release.ts';
import { APPLICATION_ID } from './migrations.ts';
import { openSqliteStore } from './open.ts';

const BY = 'test:migrations';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-migrations-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Writes a track as the first release did. */
function insertAtFirst(connection: DatabaseSync, track: TrackDelivery): void {
  const slug = `track-${track.externalId}`;
  const releasedAt = track.releasedAt!;
  const document = serialiseTrack(
    composeTrack(track, { slug, releasedAt, filters: [], hasAudio: false }),
  );
  connection
    .prepare(`
      INSERT INTO tracks (id, slug, source, external_id, name, type, has_vocals, released_at,
        duration_seconds, isrc, fingerprint, created_at, updated_at, document)
      VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, '', ?, 1, 1, ?)`)
    .run(
      track.id,
      slug,
      track.source,
      track.externalId,
      track.name,
      track.type,
      releasedAt,
      track.durationSeconds,
      deliveryFingerprint(track),
      document,
    );
}

it('a catalog of the first release is searched by tempo and key, and changes nothing when imported again', async () => {
  const path = join(folder, 'stave.db');
  const tracks = [
    delivery(0, { filters: [], artists: [], bpm: '97.125', songKey: ['C major', 'H "x" é'] }),
    delivery(1, { filters: [], artists: [], bpm: '', songKey: ['A minor'] }),
    delivery(2, { filters: [], artists: [], bpm: '1000', songKey: [] }),
    delivery(3, { filters: [], artists: [], bpm: '', songKey: [] }),
  ];
  const connection = new DatabaseSync(path);
  connection.exec(firstRelease);
  connection.exec(`PRAGMA user_version = 1; PRAGMA application_id = ${APPLICATION_ID}`);
  for (const track of tracks) insertAtFirst(connection, track);
  connection.close();

  const store = await openSqliteStore({ path, clock: { now: () => 2 } });
  const entries = await store.catalog.indexEntries(tracks.map(({ id }) => id));
  expect(entries.map(({ no, bpm, songKeys }) => [no, bpm, songKeys]).sort()).toEqual([
    [1, 97.125, ['C major', 'H "x" é']],
    [2, 0, ['A minor']],
    [3, 1000, []],
    [4, 0, []],
  ]);
  const session = await store.catalog.openDelivery(BY, 'b');
  expect(await session.deliver(tracks)).toEqual(Array(4).fill('unchanged'));
  await session.close();
  await store.check(true);
  await store.close();
});
