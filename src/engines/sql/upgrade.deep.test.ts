import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../../test/harness/clock.ts';
import { BY, delivery, importAll } from '../../../test/harness/deliveries.ts';
import { openDatabase } from '../../../test/harness/sql-databases.ts';
import { ADAPTERS, type Adapter } from '../../../test/harness/store-adapters.ts';
import { someClient, trackId } from '../../../test/harness/stores.ts';
import { newId } from '../../common/ids.ts';
import { operators } from './migrations/0020-operators.ts';
import { TAKEDOWNS } from './migrations/first-schema/catalog.ts';
import { MIGRATIONS } from './migrations.ts';
import { FIRST_VERSION, type Migration, type SchemaPart } from './schema.ts';

const clock = new TestClock(Date.UTC(2026, 0, 1));

/** Returns a step of a next release. */
const step = (part: SchemaPart): Migration => ({
  summary: 'a step of the next release',
  compatibleFrom: FIRST_VERSION,
  ...part,
});

const NEW_COLUMNS = step({
  common: (d) => `
ALTER TABLE change_log ADD COLUMN weight ${d.integer};
ALTER TABLE change_log ADD COLUMN place ${d.text} NOT NULL DEFAULT 'here';
`,
});

const FIRST_CHANGE = `
  SELECT seq, at FROM change_log
  WHERE entity = 'track' AND kind NOT IN ('taken_down', 'withdrawn', 'removed') ORDER BY seq LIMIT 1`;
const HAS_EXPIRED = 'NOT EXISTS (SELECT 1 FROM change_log WHERE seq = 1)';

/** Derives one row from those that remain in the log, in part with the SQL of one database. */
const DERIVED_FLOOR = step({
  common: () => `
UPDATE change_log_floor SET seq = remaining.seq - 1, at = remaining.at
FROM (${FIRST_CHANGE}) AS remaining WHERE ${HAS_EXPIRED};
`,
  sqlite: `
UPDATE change_log_floor SET seq = head.seq, at = 1000 * unixepoch()
FROM sqlite_sequence AS head
WHERE head.name = 'change_log' AND change_log_floor.seq = 0 AND ${HAS_EXPIRED};
`,
  postgres: `
UPDATE change_log_floor SET seq = head.seq, at = (extract(epoch FROM now()) * 1000)::bigint
FROM change_log_head AS head
WHERE head.seq > 0 AND change_log_floor.seq = 0 AND ${HAS_EXPIRED};
`,
});

/** Fills columns and a table from the columns and the JSON of other rows. */
const DERIVED_USES = step({
  common: () => `
UPDATE issued_license_tracks SET
  mode = (SELECT license.mode FROM issued_licenses AS license WHERE license.row_id = license_row_id),
  occupied_until = (
    SELECT CASE WHEN license.revoked_at IS NULL THEN coalesce(license.ends_at, 9007199254740991) ELSE 0 END
    FROM issued_licenses AS license WHERE license.row_id = license_row_id
  );
`,
  sqlite: `
INSERT INTO issued_license_uses (license_row_id, client_id, media, territories, starts_at)
  SELECT row_id, client_id, json_extract(document, '$.media'), json_extract(document, '$.territories'), starts_at
  FROM issued_licenses;
UPDATE issued_licenses SET production_id = json_extract(document, '$.project.productionId');
`,
  postgres: `
INSERT INTO issued_license_uses (license_row_id, client_id, media, territories, starts_at)
  SELECT row_id, client_id, document::jsonb ->> 'media', document::jsonb ->> 'territories', starts_at
  FROM issued_licenses;
UPDATE issued_licenses SET production_id = document::jsonb #>> '{project,productionId}';
`,
});

const REPLACED_INDEX = step({
  common: () => `
CREATE INDEX change_log_of_takedowns_by_time ON change_log (entity_id, seq, at) WHERE ${TAKEDOWNS};
DROP INDEX change_log_of_takedowns;
`,
});

for (const adapter of ADAPTERS) {
  describe(`an upgrade on ${adapter.name}`, () => {
    let place: Awaited<ReturnType<Adapter['provide']>>;
    beforeEach(async () => {
      place = await adapter.provide();
    });
    afterEach(() => place.dispose());

    /**
     * Opens the store of this version, and beside it the database, which `upgrade` migrates by one more step. The store
     * stays open, as that of a node of this version while one of the next version starts.
     */
    async function openBeforeUpgrade() {
      const store = await adapter.open(place.location, clock);
      const database = await openDatabase(adapter, place.location, clock);
      return {
        store,
        run: database.run,
        rows: async (statement: string) =>
          (await database.sql.queries.execute(CompiledQuery.raw(statement))).rows,
        upgrade: (next: Migration) => database.migrate([...MIGRATIONS, next]),
        [Symbol.asyncDispose]: async () => {
          await store.close();
          await database[Symbol.asyncDispose]();
        },
      };
    }

    /** A statement that does not know the newest columns of the log, as that of an older node. */
    const append = (kind: string, at: number, id = 'a') =>
      adapter.isServer
        ? `WITH head AS (UPDATE change_log_head SET seq = seq + 1 RETURNING seq)
           INSERT INTO change_log (seq, at, entity, kind, entity_id, by, batch_id)
           SELECT seq, ${at}, 'track', '${kind}', '${id}', 'cli:anna', 'b' FROM head;`
        : `INSERT INTO change_log (at, entity, kind, entity_id, by, batch_id)
           VALUES (${at}, 'track', '${kind}', '${id}', 'cli:anna', 'b');`;

    it('leaves the new columns of the change log empty, also for rows of an older node', async () => {
      await using opened = await openBeforeUpgrade();
      await opened.run(append('created', 1));
      await opened.upgrade(NEW_COLUMNS);
      await opened.run(append('updated', 2));
      const changes = await opened.store.changes.latest(10);
      const row = { entity: 'track', entityId: 'a', by: 'cli:anna', batchId: 'b' };
      const none = { reason: null, reference: null };
      const absent = { clientId: null, mode: null, changed: null, ...none };
      expect(changes).toEqual([
        { seq: 2, at: 2, kind: 'updated', ...row, ...absent },
        { seq: 1, at: 1, kind: 'created', ...row, ...absent },
      ]);
      const added = await opened.rows('SELECT seq, weight, place FROM change_log ORDER BY seq');
      expect(added).toEqual([
        { seq: 1, weight: null, place: 'here' },
        { seq: 2, weight: null, place: 'here' },
      ]);
    });

    it.each([
      ['nothing was logged', '', { floor: 0, floorAt: 0 }],
      ['nothing has expired', 'seq < 0', { floor: 0, floorAt: 0 }],
      ['the first rows have expired', 'seq <= 2', { floor: 3, floorAt: 40 }],
      ['every row that can has expired', "kind <> 'taken_down'", { floor: 5 }],
      ['every row has expired', 'true', { floor: 5 }],
    ])('finds the floor of the change log if %s', async (_, expired, bounds) => {
      await using opened = await openBeforeUpgrade();
      const kinds =
        expired === '' ? [] : ['created', 'created', 'taken_down', 'updated', 'updated'];
      for (const [i, kind] of kinds.entries()) await opened.run(append(kind, 10 * (i + 1)));
      if (expired !== '') await opened.run(`DELETE FROM change_log WHERE ${expired}`);
      const upgraded = Date.now();
      await opened.upgrade(DERIVED_FLOOR);
      const found = await opened.store.changes.bounds();
      expect(found).toMatchObject({ head: kinds.length, ...bounds });
      // The times of expired rows are unknown, but not later than the upgrade.
      if (found.floor === 5) expect(found.floorAt).toBeGreaterThan(upgraded - 60_000);
    });

    it('makes the password of the console that of the owner console, until it is replaced', async () => {
      const password = { N: 2, r: 1, p: 1, salt: 'c2FsdA', hash: 'aGFzaA' };
      {
        await using database = await openDatabase(adapter, place.location, clock);
        await database.migrate(MIGRATIONS.slice(0, MIGRATIONS.indexOf(operators)));
        await database.run(
          `INSERT INTO settings (name, value) VALUES ('console_password', '${JSON.stringify(password)}')`,
        );
      }
      const store = await adapter.open(place.location, clock);
      const [first, ...others] = await store.operators.all();
      expect(first).toEqual({
        ...{ name: 'console', role: 'owner', enabled: true, password, sessionsId: 'first' },
        ...{ linkHash: null, linkExpiresAt: null, lastLoginAt: null },
        createdAt: expect.any(Number),
      });
      expect(Math.abs(first!.createdAt - Date.now())).toBeLessThan(60_000);
      expect(others).toEqual([]);
      expect(await store.settings.get('console_password')).toBeDefined();
      await store.operators.setFirstPassword(password, BY);
      expect(await store.settings.get('console_password')).toBeUndefined();
      await store.close();
    });

    it('leaves the parts of a track whose former content is stored without them', async () => {
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

    it('finds the uses and the productions of licenses that were issued before', async () => {
      await using opened = await openBeforeUpgrade();
      const { store } = opened;
      const document = JSON.stringify({
        ...{ media: ['online'], territories: ['DE'] },
        project: { name: 'Spring ad', productionId: 'ep-7' },
      });
      for (const [n, endsAt, revokedAt] of [
        [1, 100, 'NULL'],
        [2, 'NULL', 'NULL'],
        [3, 100, 50],
      ]) {
        await opened.run(`
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
      await opened.upgrade(DERIVED_USES);
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
    });

    it('finds when tracks were taken down, also before it', async () => {
      await using opened = await openBeforeUpgrade();
      const { store } = opened;
      const id = trackId(1);
      for (const [i, kind] of ['created', 'taken_down', 'updated'].entries()) {
        await opened.run(append(kind, i + 1, id));
      }
      await opened.upgrade(REPLACED_INDEX);
      await importAll(store, [delivery(1)]);
      await opened.run("UPDATE tracks SET state = 'taken_down'");
      const client = someClient();
      await store.clients.create(client, BY);
      const playlist = { id: newId(), name: 'p', description: '', createdAt: 1, updatedAt: 1 };
      await store.playlists.create(playlist, [id], BY);
      await store.playlists.grant(playlist.id, client.id, BY);
      const found = await store.references.ofTrack(id, client.id, 'live');
      expect(found).toMatchObject({ trackId: id, state: 'taken_down', since: 2 });
    });
  });
}
