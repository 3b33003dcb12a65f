import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useAvailability } from '../../../../test/contract/availability-support.ts';
import { useCounts } from '../../../../test/contract/counts-support.ts';
import { delivery, useDeliveries } from '../../../../test/contract/deliveries-support.ts';
import { useFinder } from '../../../../test/contract/finder-support.ts';
import { useKeys } from '../../../../test/contract/keys-support.ts';
import { useParts } from '../../../../test/contract/parts-support.ts';
import { useRenditions, useStreams } from '../../../../test/contract/renditions-support.ts';
import { useSounds } from '../../../../test/contract/sounds-support.ts';
import { stream } from '../../../../test/contract/usage-support.ts';
import { CHANGE_ENTITIES } from '../../../../test/harness/change-entities.ts';
import { openDatabase } from '../../../../test/harness/sql-databases.ts';
import { ADAPTERS } from '../../../../test/harness/store-adapters.ts';
import { someClient } from '../../../../test/harness/stores.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { newId } from '../../../common/ids.ts';
import type { KeyClaim } from '../../../engines/idempotency/idempotency.ts';
import { Database } from '../../../engines/sql/sqlite/database.ts';
import { databaseName, TABLES } from '../../../engines/sql/tables/tables.ts';
import type { ClientSecret } from '../../../features/access/client.ts';
import { UNKNOWN_AUDIO } from '../../../features/catalog/audio-properties.ts';
import type { Store } from '../../../features/store.ts';
import { UsageStore } from '../../../features/usage/store/usage-store.ts';
import { SUMMARY_GROUPS } from '../../../features/usage/usage.ts';
import { openSqliteStore } from '../../open/open-sqlite.ts';

const BY = 'test:plans';

/** The statements that may scan a whole table, each with its reason. */
const WALKS: readonly { sql: RegExp; reason: string }[] = [
  { sql: /from "filters" order by "type", "name", "id"$/, reason: 'reads all filters: hundreds' },
  { sql: /"slug" from "filters"$/, reason: 'reads all filters: hundreds' },
  { sql: /from "clients" order by/, reason: 'reads all clients: hundreds' },
  { sql: /(from|update) "(signing|license)_keys"/, reason: 'a few keys' },
  {
    sql: /(from|update) "operators" (order by|set "link_hash" = \?, "link_expires_at" = \?, "sessions_id" = \?$)/,
    reason: 'at most 200 operators',
  },
  {
    sql: /from "client_sessions" inner join "(seats|client_secrets)".*"client_row_id"$/,
    reason: 'all sessions, when a node starts',
  },
  {
    sql: /from "seats"( inner join "clients" on "clients"."row_id" = "seats"."client_row_id"( where "seats"."enabled" = \?| order by "seats"."created_at", "seats"."id")?)?$/,
    reason: 'all seats: when a node starts, for the operator, and after a restore',
  },
  { sql: /^delete from "(client_sessions|sign_in_links)"$/, reason: 'after a restore' },
  { sql: /from "playlists" order by/, reason: 'reads all playlists: hundreds' },
  { sql: /from "playlists" left join/, reason: 'reads all playlists and their tracks' },
  { sql: /from "?source_provenance"? where (\("ai"|NOT)/i, reason: 'a few sources' },
  { sql: /from "brief_synonyms"/, reason: 'reads or replaces all synonyms: hundreds' },
  { sql: /count\(\*\) FROM tracks\) AS tracks/, reason: 'counts by the smallest index' },
  {
    sql: /select "row_id" from "tracks" limit|tracks" order by "source"|track_edits LIMIT 1/,
    reason: 'one row',
  },
  { sql: /from "import_batches" as "batch" left join/, reason: 'ends at a limit' },
  { sql: /delete from "import_batches" where/, reason: 'once a day: thousands of imports' },
  { sql: /(from|update) "?removed_numbers/i, reason: 'one row' },
  {
    sql: /from "(rendition_)?nodes" where|state = 'failed'( and|$)/,
    reason: 'few rows, or its index',
  },
  { sql: /from "streams" where state = 'done' order by/, reason: 'ends at a limit, by its index' },
  { sql: /NOT is_published limit/, reason: 'the index of the few that are not published' },
  { sql: /(from|update) change_log_floor/i, reason: 'one row' },
  { sql: /FROM sqlite_sequence/, reason: 'one row per table' },
  { sql: /sqlite_schema|^PRAGMA/, reason: 'reads the schema' },
];

const tables = [
  ...Object.keys(TABLES).map(databaseName),
  // The tables that only SQLite has, and the temporary tables of an import.
  'batch',
  'created',
  'delivered',
  'listed',
  'previewed',
  'removed_numbers',
  'sqlite_\\w+',
];
/** `SCAN t` scans a table; `SCAN json_each` and similar steps scan a parameter of the statement. */
const WALK = new RegExp(`^SCAN (?:${tables.join('|')}|t)\\b`);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-plans-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

/** Calls every method of the store, so that every statement is prepared. */
async function useEverything(): Promise<void> {
  const store = await openSqliteStore({ path: join(folder, 'stave.db'), clock: { now: () => 1 } });
  const { catalog, playlists, clients, licenses, references, changes, settings } = store;
  const { idempotency, savedSearches } = store;
  // The store keeps reports in a thread, whose statements cannot be seen here.
  const clock = { now: () => 1 };
  await using database = await openDatabase(ADAPTERS[0]!, join(folder, 'stave.db'), clock);
  const usage = new UsageStore(database.sql, settings, clock);
  const id = delivery(1).id;

  await useDeliveries(store);
  await setTrackState(store, id, 'live', BY);
  await useParts(store, delivery(1));
  await catalog.documents([1]);
  await catalog.document(id);
  await catalog.document('intro');
  await catalog.indexEntries([id]);
  for await (const _ of catalog.allIndexEntries());
  for await (const _ of catalog.liveDocuments(0));
  await catalog.filters();
  await catalog.firstOfAudio(`${'0'.repeat(64)}.wav`);
  await catalog.resolveTrack('intro');
  await catalog.resolveTrack(id);
  await catalog.tracksWithIsrcs(['DEA120000001']);
  await catalog.resolveTracks([id, 'intro']);
  await catalog.trackRecord(id);
  await catalog.trackAudio(id);
  await catalog.isUntouched();
  await useFinder(store, id);
  await catalog.counts();
  await store.synonyms.replace([{ term: 'mellow', names: ['calm'] }], BY);
  await store.synonyms.all();
  await store.sourceProvenance.set('label', { trainingAllowed: false }, BY);
  await store.sourceProvenance.all();
  await store.audioProperties.unprobed('', 10);
  await store.audioProperties.unmeasured('', 10);
  await store.audioProperties.recordCovers(new Map([[`${'0'.repeat(64)}.png`, 9]]));
  await store.audioProperties.record(
    new Map([[`${'0'.repeat(64)}.wav`, { ...UNKNOWN_AUDIO, samples: 1, isPlayable: true }]]),
  );
  await useAvailability(ADAPTERS[0]!, join(folder, 'stave.db'));

  const secret = { id: newId(), mode: 'live', hash: 'a'.repeat(64), createdAt: 1, revokedAt: null };
  const client = someClient({ secrets: [secret as ClientSecret] });
  await clients.create(client, BY, { isNewName: true });
  await clients.update(client.id, { name: 'd' }, BY);
  await useSeats(store, client.id, secret.id);
  await clients.revokeSecret(client.id, secret.id, BY);
  await clients.update(client.id, { enabled: false }, BY);
  await clients.all();
  await useCounts(store, client.id, secret.id);

  const keyed = {
    clientId: client.id,
    mode: 'live',
    key: 'k',
    fingerprint: Buffer.alloc(32),
  } as const;
  await idempotency.release((await idempotency.claim(keyed)) as KeyClaim);
  const claim = (await idempotency.claim(keyed)) as KeyClaim;
  await idempotency.keep(claim, { status: 200, headers: {}, body: Buffer.from('{}') });
  await idempotency.claim(keyed);
  await idempotency.expire();

  const playlist = { id: newId(), name: 'p', description: '', createdAt: 1, updatedAt: 1 };
  await playlists.create(playlist, [id], BY);
  await playlists.update(playlist.id, { name: 'q' }, BY);
  await playlists.grant(playlist.id, client.id, BY);
  await playlists.grantsOf(playlist.id);
  await playlists.list({});
  await playlists.names();
  await playlists.list({ clientId: client.id });
  await playlists.find('p');
  await playlists.find('p', client.id);
  await playlists.find(playlist.id, client.id);
  await playlists.summary('p', client.id);
  await playlists.summary(playlist.id, client.id);
  await references.ofTrack('intro', client.id, 'live');
  await setTrackState(store, id, 'taken_down', BY);
  await references.ofTrack(id, client.id, 'live');
  await playlists.revoke(playlist.id, client.id, BY);
  const me = { actor: 'client:a', clientId: client.id, mode: 'live' } as const;
  const search = { id: newId(), name: 's', query: '{}', notify: true };
  await savedSearches.create(search, me);
  await savedSearches.list(me, { offset: 0, limit: 9 });
  await savedSearches.find(search.id, me);
  await savedSearches.update(search.id, { name: 't' }, () => {}, me);
  await savedSearches.see(search.id, undefined, me);
  await savedSearches.ofClient(client.id);
  await savedSearches.delete(search.id, () => {}, me);

  const license = { externalId: 'l', trackId: id, mode: 'live', licensedAt: 1, clientId: null };
  await licenses.put([license as never], BY, 'b');
  await licenses.put([{ ...license, licensedAt: 2 } as never], BY, 'b');
  await licenses.mostLicensed('live', null);
  await licenses.countsByTrack('live');

  const cue = { startSeconds: 1, usage: 'BI' } as const;
  const production = { id: 'p', title: 'P' };
  const sync = stream('a', 0, { trackId: id, occurredAt: 1, type: 'sync', production, cue });
  const reported = { clientId: client.id, mode: 'live', batchId: 'b', receivedAt: 1 } as const;
  for (const eventId of ['a', 'b', 'a']) {
    await usage.report({ ...reported, maxAgeDays: 7, events: [{ ...sync, eventId }] });
  }
  await setTrackState(store, id, 'live', BY);
  await references.ofTrack(id, client.id, 'live');
  await store.cueSheets.productionOf(client.id, 'live', 'p');

  const { clientId, mode } = reported;
  for (const groupBy of SUMMARY_GROUPS) {
    await usage.summary({ clientId, mode, from: 0, to: 3, groupBy });
    await usage.summary({ clientId, mode, from: 0, to: 3, groupBy, type: 'sync', trackId: id });
  }

  const range = { mode, from: 0, to: 3 };
  for (const id of [undefined, clientId]) {
    await store.usageRecords.sources({ mode, clientId: id });
    for await (const _ of store.usageRecords.days({ ...range, clientId: id }));
    for await (const _ of store.usageRecords.events({ ...range, clientId: id }));
  }

  await store.usageRecords.purge(3);

  await useKeys(store);
  const link = { linkHash: 'x', linkExpiresAt: Number.MAX_SAFE_INTEGER };
  await store.operators.add({ name: 'anna', role: 'owner', link }, 'test');
  await store.operators.setFirstPassword({ N: 2, r: 1, p: 1, salt: '', hash: '' }, 'test');
  await store.operators.setPasswordByLink('x', { N: 2, r: 1, p: 1, salt: '', hash: '' });
  const anna = (await store.operators.get('anna'))!;
  await store.operators.setOwnPassword(anna, { N: 2, r: 1, p: 1, salt: '', hash: '' });
  await store.operators.all();
  await store.operators.ofLink('x');
  await store.operators.reset('anna', link, 'test');
  await store.operators.change('anna', { role: 'viewer' }, { by: 'test', hasProxy: false });
  await store.operators.logLogin('anna', 'logged_in');
  await store.operators.endLinksAndSessions();
  await store.operators.remove('anna', { by: 'test', hasProxy: false });
  await store.clientRequests.steps('a', 0);
  await store.mediaRequests.ofTrack('a', { from: 0, to: 1 });
  await settings.add('a', 'a');
  await settings.set('a', 'b');
  await settings.get('a');
  await settings.delete('a');
  await useRenditions(store, id);
  await useStreams(store, id);
  await useSounds(store);
  await changes.since(0, ['track'], 10);
  await changes.since(0, ['client', 'playlist', 'license'], 10);
  await changes.since(0, CHANGE_ENTITIES, 10);
  await changes.latest(10);
  await changes.latest(10, { by: 'x', kind: 'created', since: 1, until: 2 });
  await changes.latest(10, { entity: 'track', entityId: 'x', beforeSeq: 9 });
  await changes.head();
  await changes.bounds();
  await changes.firstAt(1);
  await changes.raiseFloor(2);
  await changes.expire(2);
  const { batches } = store;
  for (const { id: batch, undoes } of await batches.latest(10)) {
    if (undoes === null) await batches.undo(batch, { by: BY, dryRun: true });
    if (undoes === null) await batches.undo(batch, { by: BY });
  }
  await batches.expire(2);
  await batches.forget(2);

  await catalog.removeSource('label', BY);
  await playlists.setTracks(playlist.id, [], BY);
  await playlists.delete(playlist.id, BY);
  await clients.delete(client.id, BY);
  await store.check(false);
  await store.close();
}

async function useSeats({ seats, clientSessions }: Store, clientId: string, secretId: string) {
  const hash = 'b'.repeat(64);
  const link = { hash, expiresAt: 1e15 };
  const seat = { id: newId(), name: 'Ana', role: 'buyer', mode: 'live', createdAt: 1 } as const;
  await seats.create(clientId, { ...seat, enabled: true }, link, BY);
  await seats.update(seat.id, { name: 'Anna' }, BY);
  await seats.setEnabled(seat.id, false, BY);
  await seats.setEnabled(seat.id, true, BY);
  await seats.addLink(seat.id, link, BY);
  await clientSessions.linkedSeat(hash);
  const session = { id: newId(), hash, expiresAt: 1e15 };
  await clientSessions.useLink(hash, session);
  await clientSessions.use(session.id);
  await clientSessions.startOfSecret(
    { clientId, secretId },
    { ...session, id: newId(), hash: 'c'.repeat(64) },
  );
  await clientSessions.all(clientId);
  await clientSessions.all();
  await seats.enabled(clientId);
  await seats.enabled();
  await seats.clientOf(seat.id);
  await seats.names();
  await seats.records(clientId);
  await seats.records();
  await seats.update(seat.id, { mode: 'test' }, BY);
  await seats.endSessions(seat.id, BY);
  await clientSessions.end(hash, { clientId, seatId: seat.id });
  await clientSessions.clear(BY);
  await seats.remove(seat.id, BY);
}

it('scans a table only in statements that have a reason', async () => {
  const plans = new Map<string, string[]>();
  for (const method of ['prepare', 'prepareRows'] as const) {
    const original = Database.prototype[method];
    vi.spyOn(Database.prototype, method).mockImplementation(function (this: Database, sql) {
      const text = sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim();
      if (!plans.has(text)) {
        // The plan of the statement without values: SQLite makes the plan before it knows the parameters.
        const rows = original.call(this, `EXPLAIN QUERY PLAN ${sql}`).all();
        plans.set(
          text,
          rows.map((row) => (Array.isArray(row) ? row[3] : row.detail) as string),
        );
      }
      return original.call(this, sql);
    });
  }
  await useEverything();

  expect(plans.size).toBeGreaterThan(70);
  const walking = [...plans].filter(([, plan]) => plan.some((step) => WALK.test(step)));
  const unexplained = walking.filter(([sql]) => !WALKS.some((walk) => walk.sql.test(sql)));
  expect(unexplained).toEqual([]);
  // Remove a reason that no statement needs.
  const unused = WALKS.filter((walk) => ![...plans.keys()].some((sql) => walk.sql.test(sql)));
  expect(unused).toEqual([]);
});

it('reads documents, pages of the change log and the history of a track by an index, without sorting', async () => {
  const store = await openSqliteStore({ path: join(folder, 'stave.db'), clock: { now: () => 1 } });
  const database = await Database.open(join(folder, 'stave.db'), 100);
  const planOf = (sql: string) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => row.detail);
  const documents = 'SELECT id FROM tracks WHERE row_id IN (SELECT value FROM json_each(?))';
  expect(planOf(documents)[0]).toEqual('SEARCH tracks USING INTEGER PRIMARY KEY (rowid=?)');
  expect(
    planOf("SELECT * FROM change_log WHERE entity = 'track' AND seq > ?1 ORDER BY seq LIMIT ?2"),
  ).toEqual(['SEARCH change_log USING INDEX change_log_by_entity (entity=? AND seq>?)']);
  expect(
    planOf(`SELECT * FROM change_log WHERE substr(entity_id, 29) = substr(?1, 29) AND entity_id = ?1
            AND NOT (entity = 'track' AND kind = 'created') AND seq <= ?2 AND seq > ?3 ORDER BY seq DESC LIMIT ?4`),
  ).toEqual([
    'SEARCH change_log USING INDEX change_log_by_entity_id (<expr>=? AND seq>? AND seq<?)',
  ]);
  database.close();
  await store.close();
});
