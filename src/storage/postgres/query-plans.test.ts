import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { BY, deliveries, importAll } from '../../../test/contract/deliveries.ts';
import { someClient, trackId } from '../../../test/contract/stores.ts';
import { openOn } from '../../../test/harness/postgres-store.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../../../test/harness/services.ts';
import { newId } from '../../kernel/ids.ts';
import type { Store } from '../store.ts';

const TRACKS = 20_000;
/** What grows with the catalog or with time; walked only for who wants all of it. */
const LARGE = new Set([
  'tracks',
  'artists',
  'track_artists',
  'track_filters',
  'change_log',
  'playlist_tracks',
  'licences',
]);

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}
interface Statement {
  text: string;
  values: readonly unknown[];
}

describe.skipIf(POSTGRES_URL === undefined)('with a large catalog', () => {
  let place: TestDatabase;
  let store: Store;
  let client: pg.Client;
  const playlist = newId();
  const partner = someClient();

  beforeAll(async () => {
    place = await createDatabase();
    store = await openOn(place.url);
    await importAll(store, deliveries(0, TRACKS));
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

  /** Every statement with values, or by name, that the calls send. */
  async function statementsOf(calls: () => Promise<unknown>): Promise<Statement[]> {
    const statements = new Map<string, Statement>();
    const original = pg.Client.prototype.query as (...given: unknown[]) => unknown;
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...given: unknown[]
    ) {
      const { text, values = [] } = given[0] as Partial<Statement>;
      if (text !== undefined && !text.startsWith('COPY')) statements.set(text, { text, values });
      return original.apply(this, given);
    } as never);
    await calls();
    vi.restoreAllMocks();
    return [...statements.values()];
  }

  /** The large tables that a statement walks, planned for its values and, as the server may, for any. */
  async function walks({ text, values }: Statement): Promise<string[]> {
    const walked: string[] = [];
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`SET plan_cache_mode = ${mode}; PREPARE asked AS ${text}`);
      const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE asked${given}`);
      await client.query('DEALLOCATE asked');
      const visit = (plan: Plan): void => {
        const table = plan['Relation Name'] ?? '';
        if (plan['Node Type'] === 'Seq Scan' && LARGE.has(table)) walked.push(`${table}: ${text}`);
        plan.Plans?.forEach(visit);
      };
      visit(rows[0]['QUERY PLAN'][0].Plan);
    }
    return walked;
  }

  it('no statement of a request or of a follower walks a large table', async () => {
    const { catalog, playlists, changes, clients, keys, settings } = store;
    const ids = Array.from({ length: 100 }, (_, n) => trackId(n * 11));
    const statements = await statementsOf(async () => {
      await catalog.documents(Array.from({ length: 100 }, (_, n) => 1 + n * 13));
      await catalog.documents([]);
      await catalog.document('track-17');
      await catalog.document(trackId(17));
      await catalog.trackAudio(trackId(17));
      await catalog.resolveTrack('track-17');
      await catalog.trackRecord(trackId(17));
      await catalog.indexEntries(ids);
      await catalog.indexEntries([trackId(1)]);
      for await (const slice of catalog.allIndexEntries()) if (slice.length > 0) break;
      await changes.since(TRACKS - 10, ['track', 'playlist', 'client', 'key', 'licence'], 1_000);
      await changes.since(5, ['client', 'playlist', 'licence'], 1_000);
      await changes.since(TRACKS - 500, ['track'], 1_000);
      await changes.latest(20);
      await changes.head();
      await playlists.find(playlist);
      await playlists.find('one');
      await playlists.grantsOf(playlist);
      await clients.get(partner.id);
      await keys.all();
      await settings.get('none');
    });
    expect(statements.length).toBeGreaterThan(20);
    expect((await inTurn(statements, walks)).flat()).toEqual([]);

    // The guard sees a walk where there is one.
    expect(
      await walks({ text: 'SELECT count(*) FROM tracks WHERE bpm = $1', values: [7] }),
    ).toHaveLength(2);
  }, 60_000);

  it('no statement of an import or of an edit walks a large table', async () => {
    const changed = deliveries(0, 30).map((one) => ({ ...one, bpm: '77' }));
    const statements = await statementsOf(async () => {
      const session = await store.catalog.openDelivery(BY, 'c');
      await session.preview(changed);
      await session.close();
      await importAll(store, [...changed, ...deliveries(TRACKS, TRACKS + 30)]);
      await store.catalog.setState(trackId(3), 'taken_down', BY);
      await store.catalog.setState(trackId(3), 'live', BY);
      await store.playlists.setTracks(playlist, [trackId(4), trackId(5)], BY);
      await store.clients.update(partner.id, { name: 'Other' }, BY);
    });
    expect(statements.length).toBeGreaterThan(25);
    expect((await inTurn(statements, walks)).flat()).toEqual([]);
  }, 60_000);
});

async function inTurn<In, Out>(
  items: readonly In[],
  work: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const made: Out[] = [];
  for (const item of items) made.push(await work(item));
  return made;
}

/** A value as SQL spells it, without a type, so that the statement's own decides. */
function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  if (Array.isArray(value)) {
    const items = value.map((one) => {
      if (one === null) return 'NULL';
      if (Buffer.isBuffer(one)) return `"\\\\x${one.toString('hex')}"`;
      return `"${String(one).replace(/["\\]/g, '\\$&')}"`;
    });
    return `'{${items.join(',').replaceAll("'", "''")}}'`;
  }
  return `'${String(value).replaceAll("'", "''")}'`;
}
