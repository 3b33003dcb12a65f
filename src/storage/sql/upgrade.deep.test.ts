import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../../test/harness/clock.ts';
import { BY, delivery, importAll } from '../../../test/harness/deliveries.ts';
import { openDatabase } from '../../../test/harness/sql-databases.ts';
import { ADAPTERS, type Adapter } from '../../../test/harness/store-adapters.ts';
import { someClient, trackId } from '../../../test/harness/stores.ts';
import { newId } from '../../common/ids.ts';
import { takedownsInTheChangeLog } from './migrations/0005-takedowns-in-the-change-log.ts';
import { usesOfLicenses } from './migrations/0028-uses-of-licenses.ts';
import { MIGRATIONS } from './migrations.ts';

const clock = new TestClock(Date.UTC(2026, 0, 1));

for (const adapter of ADAPTERS) {
  describe(`an upgrade on ${adapter.name}`, () => {
    let place: Awaited<ReturnType<Adapter['provide']>>;
    beforeEach(async () => {
      place = await adapter.provide();
    });
    afterEach(() => place.dispose());

    /** Opens the database with only the first steps, and without those after them. */
    async function openBefore(step: number) {
      const database = await openDatabase(adapter, place.location, clock);
      await database.migrate(MIGRATIONS.slice(0, step));
      return database;
    }

    /** The statement by which a program of the first version appends to the log, which must keep working. */
    const append = (kind: string, at: number, id = 'a') =>
      adapter.isServer
        ? `WITH head AS (UPDATE change_log_head SET seq = seq + 1 RETURNING seq)
           INSERT INTO change_log (seq, at, entity, kind, entity_id, by, batch_id)
           SELECT seq, ${at}, 'track', '${kind}', '${id}', 'cli:anna', 'b' FROM head;`
        : `INSERT INTO change_log (at, entity, kind, entity_id, by, batch_id)
           VALUES (${at}, 'track', '${kind}', '${id}', 'cli:anna', 'b');`;

    it('leaves the new columns of the change log empty, also for rows of an older node', async () => {
      await using database = await openBefore(1);
      await database.run(append('created', 1));
      const store = await adapter.open(place.location, clock);
      await database.run(append('updated', 2));
      const changes = await store.changes.latest(10);
      await store.close();
      const row = { entity: 'track', entityId: 'a', by: 'cli:anna', batchId: 'b' };
      const none = { reason: null, reference: null };
      const absent = { clientId: null, mode: null, changed: null, ...none };
      expect(changes).toEqual([
        { seq: 2, at: 2, kind: 'updated', ...row, ...absent },
        { seq: 1, at: 1, kind: 'created', ...row, ...absent },
      ]);
    });

    it.each([
      ['nothing was logged', '', { floor: 0, floorAt: 0 }],
      ['nothing has expired', 'seq < 0', { floor: 0, floorAt: 0 }],
      ['the first rows have expired', 'seq <= 2', { floor: 3, floorAt: 40 }],
      ['every row that can has expired', "kind <> 'taken_down'", { floor: 5 }],
      ['every row has expired', 'true', { floor: 5 }],
    ])('finds the floor of the change log if %s', async (_, expired, bounds) => {
      await using database = await openBefore(2);
      const kinds =
        expired === '' ? [] : ['created', 'created', 'taken_down', 'updated', 'updated'];
      for (const [i, kind] of kinds.entries()) await database.run(append(kind, 10 * (i + 1)));
      if (expired !== '') await database.run(`DELETE FROM change_log WHERE ${expired}`);
      const upgraded = Date.now();
      const store = await adapter.open(place.location, clock);
      const found = await store.changes.bounds();
      await store.close();
      expect(found).toMatchObject({ head: kinds.length, ...bounds });
      // The times of expired rows are unknown, but not later than the upgrade.
      if (found.floor === 5) expect(found.floorAt).toBeGreaterThan(upgraded - 60_000);
    });

    it('leaves the ISWC of a track whose import an older node stored', async () => {
      const store = await adapter.open(place.location, clock);
      await importAll(store, [delivery(1, { iswc: 'T-034.524.680-1' })], 'first');
      await importAll(store, [delivery(1, { name: 'Other' })], 'second');
      await using database = await openDatabase(adapter, place.location, clock);
      await database.run('UPDATE former_tracks SET iswc = NULL');
      await store.batches.undo('second', { by: BY });
      expect(await importAll(store, [delivery(1)], 'third')).toEqual(['unchanged']);
      const given = await importAll(store, [delivery(1, { iswc: 'T-034.524.680-1' })], 'fourth');
      expect(given).toEqual(['unchanged']);
      await store.close();
    });

    it('leaves the previews of a track whose import an older node stored', async () => {
      const previews = {
        previewStart: 7,
        previewKey: `${'a'.repeat(64)}.mp3`,
        waveformKey: `${'b'.repeat(64)}.dat`,
      };
      const store = await adapter.open(place.location, clock);
      await importAll(store, [delivery(1, previews)], 'first');
      await importAll(store, [delivery(1, { name: 'Other' })], 'second');
      await using database = await openDatabase(adapter, place.location, clock);
      await database.run(
        'UPDATE former_tracks SET preview_start = NULL, preview_key = NULL, waveform_key = NULL',
      );
      await store.batches.undo('second', { by: BY });
      expect(await store.catalog.trackRecord(delivery(1).id)).toMatchObject(previews);
      await store.close();
    });

    it('leaves the parts of a track whose import an older node stored', async () => {
      const part = { name: null, durationSeconds: 1, audioKey: `${'a'.repeat(64)}.wav` };
      const stems = [{ ...part, kind: 'drums', sizeBytes: 1 }];
      const store = await adapter.open(place.location, clock);
      await importAll(store, [delivery(1, { stems })], 'first');
      await importAll(store, [delivery(1, { stems: [] })], 'second');
      await importAll(store, [delivery(1, { stems })], 'third');
      await using database = await openDatabase(adapter, place.location, clock);
      await database.run('UPDATE former_tracks SET stems = NULL');
      await store.batches.undo('third', { by: BY });
      const { parts } = (await store.catalog.trackParts(delivery(1).id))!;
      expect(parts).toMatchObject({ stems });
      await store.close();
    });

    it('leaves the availability of a track whose import an older node stored', async () => {
      const store = await adapter.open(place.location, clock);
      await importAll(store, [delivery(1)], 'first');
      await importAll(store, [delivery(1, { availability: [{ from: 1 }] })], 'second');
      await using database = await openDatabase(adapter, place.location, clock);
      await database.run('UPDATE former_tracks SET availability = NULL');
      await store.batches.undo('second', { by: BY });
      const { availability } = (await store.catalog.trackRecord(delivery(1).id))!;
      expect(availability).toEqual([{ from: 1 }]);
      await store.close();
    });

    it('finds the uses and the productions of licenses that were issued before', async () => {
      await using database = await openBefore(MIGRATIONS.indexOf(usesOfLicenses));
      const document = JSON.stringify({
        ...{ media: ['online'], territories: ['DE'] },
        project: { name: 'Spring ad', productionId: 'ep-7' },
      });
      for (const [n, endsAt, revokedAt] of [
        [1, 100, 'NULL'],
        [2, 'NULL', 'NULL'],
        [3, 100, 50],
      ]) {
        await database.run(`
          INSERT INTO quotes (id, client_id, mode, request, document, amount_minor, currency, created_at, expires_at)
            VALUES ('${n}', 'seller', 'live', '{}', '{}', 1, 'EUR', 1, 2);
          INSERT INTO issued_licenses (number, client_id, mode, quote_row_id, document, certificate, amount_minor,
              currency, issued_at, starts_at, ends_at, revoked_at)
            SELECT '${n}', client_id, mode, row_id, '${document}', '', 1, 'EUR', 1, 10, ${endsAt}, ${revokedAt}
            FROM quotes WHERE id = '${n}';
          INSERT INTO issued_license_tracks (license_row_id, position, track_id, exclusive)
            SELECT row_id, 0, 'track ${n}', ${adapter.isServer} FROM issued_licenses WHERE number = '${n}';
        `);
      }
      const store = await adapter.open(place.location, clock);
      const ids = ['track 1', 'track 2', 'track 3'];
      const use = { media: ['online'], territories: ['DE'], exclusive: true };
      const found = async (startsAt: number, endsAt: number | null) => [
        ...(await store.quotes.collisions(
          ids,
          { ...use, startsAt, endsAt },
          { clientId: 'a', mode: 'live' },
          0,
        )),
      ];
      expect((await found(99, null)).sort()).toEqual(['track 1', 'track 2']);
      expect(await found(100, null)).toEqual(['track 2']);
      expect(await found(1, 10)).toEqual([]);
      const of = { clientId: 'seller', mode: 'live', now: 60 } as const;
      expect([...(await store.cueSheets.licensesOf('ep-7', ids, of)).keys()].sort()).toEqual([
        'track 1',
        'track 2',
      ]);
      await store.close();
    });

    it('finds when tracks were taken down, also before it', async () => {
      await using database = await openBefore(MIGRATIONS.indexOf(takedownsInTheChangeLog));
      const id = trackId(1);
      for (const [i, kind] of ['created', 'taken_down', 'updated'].entries()) {
        await database.run(append(kind, i + 1, id));
      }
      const store = await adapter.open(place.location, clock);
      await importAll(store, [delivery(1)]);
      await database.run("UPDATE tracks SET state = 'taken_down'");
      const client = someClient();
      await store.clients.create(client, BY);
      const playlist = { id: newId(), name: 'p', description: '', createdAt: 1, updatedAt: 1 };
      await store.playlists.create(playlist, [id], BY);
      await store.playlists.grant(playlist.id, client.id, BY);
      const found = await store.references.ofTrack(id, client.id, 'live');
      await store.close();
      expect(found).toMatchObject({ trackId: id, state: 'taken_down', since: 2 });
    });
  });
}
