import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { useAvailability } from '../../../../test/contract/availability-support.ts';
import { useLists } from '../../../../test/contract/collections-support.ts';
import { useLicensing } from '../../../../test/contract/licensing-support.ts';
import { part } from '../../../../test/contract/parts-support.ts';
import { CHANGE_ENTITIES } from '../../../../test/harness/change-entities.ts';
import { TestClock } from '../../../../test/harness/clock.ts';
import { BY, deliveries, delivery, importAll } from '../../../../test/harness/deliveries.ts';
import { openOn } from '../../../../test/harness/postgres-store.ts';
import {
  createDatabase,
  POSTGRES_URL,
  type TestDatabase,
} from '../../../../test/harness/services.ts';
import { ADAPTERS } from '../../../../test/harness/store-adapters.ts';
import { someClient, trackId } from '../../../../test/harness/stores.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { until } from '../../../../test/harness/until.ts';
import { newId } from '../../../common/ids.ts';
import { beginWrite } from '../../../engines/sql/postgres/link/transaction.ts';
import type { TrackDelivery } from '../../../features/catalog/track.ts';
import type { Store } from '../../../features/store.ts';
import { plansOf, scansOf, statementsOf } from './query-plans.test-support.ts';

const TRACKS = 20_000;
/** Tables that grow with the catalog or with time. Only a statement that needs all rows may scan them. */
const LARGE = new Set([
  'tracks',
  'artists',
  'change_log',
  'former_tracks',
  'track_writers',
  'track_parts',
  'playlist_tracks',
  'licenses',
  'collections',
  'collection_tracks',
  'saved_searches',
]);
const isLarge = (table: string) => LARGE.has(table);

describe.skipIf(POSTGRES_URL === undefined)('a store with a large catalog', () => {
  let place: TestDatabase;
  let store: Store;
  let client: pg.Client;
  const playlist = newId();
  const partner = someClient();

  beforeAll(async () => {
    place = await createDatabase();
    store = await openOn(place.url);
    await importAll(store, deliveries(0, TRACKS).map(withOwnArtist).map(withWriter));
    const changed = deliveries(0, 5_000).map((one) => ({ ...one, bpm: '101' }));
    await importAll(store, changed, 'changed');
    await store.clients.create(partner, BY);
    const listed = Array.from({ length: 200 }, (_, n) => trackId(n * 7));
    const details = { id: playlist, name: 'One', description: '', createdAt: 1, updatedAt: 1 };
    await store.playlists.create(details, listed, BY);
    await store.playlists.grant(playlist, partner.id, BY);
    for (let i = 0; i < 50; i++) {
      const one = { ...details, id: newId(), name: `List ${i}` };
      await store.playlists.create(one, listed.slice(i, i + 100), BY);
    }
    client = new pg.Client({ connectionString: place.url });
    await client.connect();
    await addLists(client, partner.id);
    await client.query('ANALYZE; SET jit = off');
  }, 120_000);
  afterAll(async () => {
    await client?.end();
    await store?.close();
    await place?.drop();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('scans no large table for a request or a follower', async () => {
    const { catalog, playlists, references, changes, clients, keys, settings } = store;
    const ids = Array.from({ length: 100 }, (_, n) => trackId(n * 11));
    const statements = await statementsOf(async () => {
      await catalog.documents(Array.from({ length: 100 }, (_, n) => 1 + n * 13));
      await catalog.documents([]);
      await catalog.document('track-17');
      await catalog.document(trackId(17));
      await catalog.trackAudio(trackId(17));
      await catalog.trackParts(trackId(17));
      await catalog.trackParts('track-17');
      await catalog.partAudio(trackId(17));
      await catalog.resolveTrack('track-17');
      await catalog.resolveTracks([...ids, 'track-17', 'track-18']);
      await catalog.trackRecord(trackId(17));
      await catalog.indexEntries(ids);
      await catalog.indexEntries([trackId(1)]);
      for await (const slice of catalog.allIndexEntries()) if (slice.length > 0) break;
      for await (const slice of catalog.liveDocuments(17)) if (slice.length > 0) break;
      await references.ofTrack('track-17', partner.id, 'live');
      await references.ofTrack(trackId(0), partner.id, 'live');
      await changes.since(TRACKS - 10, CHANGE_ENTITIES, 1_000);
      await changes.since(5, ['client', 'playlist', 'license'], 1_000);
      await changes.since(TRACKS - 500, ['track'], 1_000);
      await changes.latest(20);
      await changes.head();
      await changes.firstAt(1);
      await store.trackFinder.named(['track-17', trackId(17)]);
      await store.trackFinder.beginningWith('track-1', 11);
      await playlists.find(playlist);
      await playlists.find('one');
      await playlists.find('one', partner.id);
      await playlists.find(playlist, partner.id);
      await playlists.summary(playlist, partner.id);
      await playlists.grantsOf(playlist);
      await clients.get(partner.id);
      await keys.all();
      await settings.get('none');
    });
    expect(statements.length).toBeGreaterThan(20);
    expect(await scansOf(client, statements, isLarge)).toEqual([]);

    // The check detects a scan.
    const scan = { text: 'SELECT count(*) FROM tracks WHERE bpm = $1', values: [7] };
    expect(await scansOf(client, [scan], isLarge)).toHaveLength(2);
  });

  it('scans no large table for a collection or a saved search', async () => {
    const mate = someClient({ account: 'Acme' });
    await store.clients.create(mate, BY);
    await store.clients.update(partner.id, { account: 'Acme' }, BY);
    const statements = await statementsOf(() => useLists(store, partner.id, mate.id));
    expect(statements.length).toBeGreaterThan(40);
    expect(await scansOf(client, statements, isLarge)).toEqual([]);
  });

  it('scans no large table for a quote or a license', async () => {
    const clock = new TestClock(1);
    const tracks = [0, 1, 2].map(trackId);
    const statements = await statementsOf(() => useLicensing({ store, clock }, partner.id, tracks));
    expect(statements.length).toBeGreaterThan(40);
    // There are few licenses here.
    const isScanned = (table: string) => isLarge(table) && table !== 'licenses';
    expect(await scansOf(client, statements, isScanned)).toEqual([]);
  });

  it('scans no large table to switch tracks by their availability', async () => {
    const adapter = ADAPTERS.find(({ isServer }) => isServer)!;
    const statements = await statementsOf(() => useAvailability(adapter, place.url));
    const isSwitch = ({ text }: { text: string }) => text.includes('"next_switch_at"');
    expect(statements.filter(isSwitch).length).toBeGreaterThan(3);
    expect(await scansOf(client, statements.filter(isSwitch), isLarge)).toEqual([]);
  });

  it('finds the last creation before a change by the index of creations', async () => {
    const head = await store.changes.head();
    const context = { actor: BY, clientId: 'none', mode: 'test' } as const;
    const statements = await statementsOf(() =>
      expect(store.savedSearches.see('none', head - 10, context)).rejects.toThrow(
        'no saved search',
      ),
    );
    const [creation] = statements.filter(({ text }) => /from "change_log"/.test(text));
    const used = (await plansOf(client, creation!)).flatMap((node) => node['Index Name'] ?? []);
    expect(used.filter((name) => name === 'change_log_of_creations')).toHaveLength(2);
  });

  it('finds a granted playlist without reading those of other clients', async () => {
    const statements = await statementsOf(async () => {
      await store.playlists.find('none', partner.id);
      await store.playlists.find(newId(), partner.id);
    });
    const granted = statements.filter(({ text }) => /from "playlists"/.test(text));
    expect(granted).toHaveLength(2);
    const nodes = (await inTurn(granted, (one) => plansOf(client, one))).flat();
    expect(nodes.filter((node) => node['Node Type'] === 'CTE Scan')).toHaveLength(4);
    const used = nodes.map((node) => node['Index Name']);
    expect(used).not.toContain('playlists_slug_key');
    expect(used).not.toContain('playlists_id_key');
  });

  it('finds when a track was taken down by the index of takedowns', async () => {
    await setTrackState(store, trackId(7), 'taken_down', BY);
    const statements = await statementsOf(() =>
      store.references.ofTrack(trackId(7), partner.id, 'live'),
    );
    const [takedown] = statements.filter(({ text }) => /from "change_log"/.test(text));
    const used = (await plansOf(client, takedown!)).flatMap((node) => node['Index Name'] ?? []);
    expect(used).toEqual(Array(2).fill('change_log_of_takedowns'));
  });

  it('scans no large table for an import or an edit', async () => {
    const writers = [{ ...WRITER, share: 1 }];
    const changed = deliveries(0, 30).map((one) => ({ ...one, bpm: '77', writers }));
    const statements = await statementsOf(async () => {
      const session = await store.catalog.openDelivery(BY, 'c');
      await session.preview(changed);
      await session.close();
      await importAll(store, [...changed, ...deliveries(TRACKS, TRACKS + 30)]);
      await setTrackState(store, trackId(3), 'taken_down', BY);
      await setTrackState(store, trackId(3), 'live', BY);
      const pruning = await store.catalog.openDelivery(BY, 'd');
      await pruning.deliver([delivery(TRACKS + 50, { source: 'small' })]);
      await pruning.list([trackId(3)]);
      await pruning.takenDown(1);
      await pruning.countWithdrawable('small', [trackId(3)]);
      await pruning.withdraw('small', [trackId(3)]);
      await pruning.withdrawAbsent('small');
      await pruning.close();
      await store.batches.latest(50);
      await store.batches.undo('d', { by: BY, dryRun: true });
      await store.batches.undo('d', { by: BY });
      await store.batches.expire(1);
      await store.playlists.setTracks(playlist, [trackId(4), trackId(5)], BY);
      await store.clients.update(partner.id, { name: 'Other' }, BY);
    });
    expect(statements.length).toBeGreaterThan(25);
    expect(await scansOf(client, statements, isLarge)).toEqual([]);
  });
});

it.skipIf(POSTGRES_URL === undefined)(
  'an import into an empty catalog scans no table that it fills',
  async () => {
    const place = await createDatabase();
    const store = await openOn(place.url);
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    try {
      const session = await store.catalog.openDelivery(BY, 'b');
      // The server makes the plans that it keeps for tables that are almost empty.
      for (let n = 0; n < 200; n += 10) await session.deliver(deliveries(n, n + 10));
      await session.close();
      await store.close();
      const scans = async () => {
        const { rows } = await client.query(
          "SELECT seq_scan::int, idx_scan::int FROM pg_stat_user_tables WHERE relname = 'tracks'",
        );
        return rows[0] as { seq_scan: number; idx_scan: number };
      };
      // The server counts a while later.
      await until(async () => (await scans()).idx_scan >= 40);
      // The creation of each index is one scan; a scan for each delivery would be 20 more.
      expect((await scans()).seq_scan).toBeLessThan(20);
    } finally {
      await client.end();
      await place.drop();
    }
  },
);

it.skipIf(POSTGRES_URL === undefined)('no statement of a write is compiled', async () => {
  await using place = await createDatabase();
  await (await openOn(place.url)).close();
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  try {
    await client.query(beginWrite(false));
    const { rows } = await client.query('EXPLAIN ANALYZE UPDATE change_log_head SET seq = seq');
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('change_log_head');
    expect(plan).not.toContain('JIT');
  } finally {
    await client.end();
  }
});

const WRITER = { name: 'A', role: 'COMPOSER', ipi: null, society: null, share: 2 };

function withWriter(one: TrackDelivery): TrackDelivery {
  return { ...one, writers: [WRITER], stems: [part('drums', 'a')] };
}

/** Gives the track an artist of its own, so that there are many artists. */
function withOwnArtist(one: TrackDelivery): TrackDelivery {
  return { ...one, artists: one.artists.map((credit) => ({ ...credit, id: one.id })) };
}

async function inTurn<In, Out>(
  items: readonly In[],
  work: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const made: Out[] = [];
  for (const item of items) made.push(await work(item));
  return made;
}

/** Adds collections and saved searches of a thousand other clients, copies of the given one. */
async function addLists(client: pg.Client, clientId: string): Promise<void> {
  const { rows } = await client.query(`SELECT * FROM clients WHERE id = '${clientId}'`);
  const others = Object.keys(rows[0]).filter((name) => name !== 'row_id' && name !== 'id');
  await client.query(`
INSERT INTO clients (id, ${others})
  SELECT 'c' || n, ${others} FROM clients, generate_series(1, 1000) AS n WHERE id = '${clientId}';
INSERT INTO collections (id, client_row_id, mode, name, description, version, created_at, updated_at)
  SELECT id || n, row_id, 'live', 'C', '', 1, 1, 1
  FROM clients, generate_series(1, 5) AS n WHERE id LIKE 'c%';
INSERT INTO collection_tracks (collection_row_id, position, track_row_id, note, added_at)
  SELECT row_id, n, 1 + (row_id * 17 + n) % ${TRACKS}, '', 1 FROM collections, generate_series(1, 20) AS n;
INSERT INTO saved_searches (id, client_row_id, mode, name, folded_name, query, notify, seen_row_id, seen_at,
    notified_row_id, version, created_at, updated_at)
  SELECT id || n, row_id, 'live', 'S' || n, 's' || n, '{}', false, 0, 1, 0, 1, 1, 1
  FROM clients, generate_series(1, 5) AS n WHERE id LIKE 'c%';`);
}
