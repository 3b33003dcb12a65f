import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WaitPolicy } from '../../src/common/work/wait-policy.ts';
import type { Store } from '../../src/features/store.ts';
import { type Json, start, staveProcess, temporaryFolder } from '../harness/cli.ts';
import { BY, deliveries } from '../harness/deliveries.ts';
import { canStartPostgres } from '../harness/postgres-programs.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres-server.ts';
import { openOn, refusal } from '../harness/postgres-store.ts';
import { createDatabase } from '../harness/services.ts';
import { allChanges, someClient } from '../harness/stores.ts';
import { openLink, type TcpLink } from '../harness/tcp-link.ts';
import { until } from '../harness/until.ts';

/** The bytes of a COMMIT on the wire, which no other statement contains. */
const COMMIT = 'COMMIT\0';
const WRITER_LOCK = 0x5374_7665;
const DURATION = /going on after \d+\.\d s/;

/** Returns a process with its output so far. */
function watched(child: ChildProcess) {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (text) => {
      written[name] += text;
    });
  }
  return {
    child,
    ended: once(child, 'close'),
    stdout: () => written.stdout,
    stderr: () => written.stderr,
  };
}

describe.skipIf(!canStartPostgres)('commands, imports and starts wait for PostgreSQL', () => {
  let server: PostgresServer;
  let link: TcpLink;
  let url: string;
  const opened: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    server = await startPostgres();
    link = await openLink(server.port);
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  afterAll(async () => {
    await link?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** Creates a database and connects to it through the link. */
  async function provide(): Promise<void> {
    const database = new URL((await createDatabase(server.url)).url);
    database.port = String(link.port);
    url = database.href;
  }

  async function openWaiting(): Promise<{ store: Store; reasons: string[] }> {
    const reasons: string[] = [];
    const waitPolicy = new WaitPolicy({
      ms: 300_000,
      onWait: (reason) => reasons.push(reason),
      onContinue: () => reasons.push('on'),
    });
    const store = await openOn(url, { waitPolicy });
    opened.push(store);
    return { store, reasons };
  }

  async function lockWriters(): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('SELECT pg_advisory_lock($1)', [WRITER_LOCK]);
    return () => client.end();
  }

  const outages: Record<string, { begin(): unknown; end(): unknown; reason: RegExp }> = {
    'is paused': {
      begin: () => server.pause(),
      end: () => server.resume(),
      reason: /cannot be reached/,
    },
    'is cut off': {
      begin: () => link.cut(),
      end: () => link.mend(),
      reason: /cannot be reached/,
    },
    'has its writers locked': {
      begin: async () => {
        outages['has its writers locked']!.end = await lockWriters();
      },
      end: () => {},
      reason: /another process is writing/,
    },
  };

  for (const [name, { reason, ...outage }] of Object.entries(outages)) {
    it(`an import continues if the database ${name}, and does nothing twice`, async () => {
      await provide();
      const { store, reasons } = await openWaiting();
      const session = await store.catalog.openDelivery(BY, 'b');
      const batches = 12;
      const outcomes: string[] = [];
      const importing = (async () => {
        for (let i = 0; i < batches; i++) {
          outcomes.push(...(await session.deliver(deliveries(i * 200, i * 200 + 200))));
        }
      })();
      importing.catch(() => {});
      await until(() => outcomes.length >= 400);
      await outage.begin();
      try {
        await Promise.race([importing, until(() => reasons.length > 0)]);
      } finally {
        await outages[name]!.end();
      }
      await importing;
      await session.close();
      expect(outcomes).toEqual(Array(batches * 200).fill('created'));
      expect(reasons).toEqual([expect.stringMatching(reason), 'on']);
      const log = await allChanges(store);
      expect(log.map(({ seq, kind }) => [seq, kind])).toEqual(
        outcomes.map((_, i) => [i + 1, 'created']),
      );
      expect((await store.batches.latest(5)).map(({ created }) => created)).toEqual([2_400]);
    }, 120_000);
  }

  it.each(['before', 'after'] as const)(
    'a write whose connection is reset just %s its commit is done once',
    async (when) => {
      await provide();
      const { store } = await openWaiting();
      const session = await store.catalog.openDelivery(BY, 'b');
      const client = someClient();
      let reset = link.resetAt(COMMIT, when);
      await store.clients.create(client, BY);
      await reset;
      reset = link.resetAt(COMMIT, when);
      expect(await session.deliver(deliveries(0, 50))).toEqual(Array(50).fill('created'));
      await reset;
      expect(await session.deliver(deliveries(40, 60))).toEqual([
        ...Array(10).fill('unchanged'),
        ...Array(10).fill('created'),
      ]);
      expect((await store.clients.all()).map(({ id }) => id)).toEqual([client.id]);
      const log = await allChanges(store);
      expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: 61 }, (_, i) => i + 1));
      expect((await store.batches.latest(5)).map(({ created }) => created)).toEqual([60]);
      await session.close();
    },
    120_000,
  );

  it('without a wait policy, a write whose commit got no response is not repeated', async () => {
    await provide();
    const store = await openOn(url);
    opened.push(store);
    const reset = link.resetAt(COMMIT, 'after');
    expect(await refusal(() => store.clients.create(someClient(), BY))).toBeGreaterThan(0);
    await reset;
  });

  it('leaves no write marks behind', async () => {
    await provide();
    const { store } = await openWaiting();
    await Promise.all([1, 2, 3].map(() => store.clients.create(someClient(), BY)));
    await opened.pop()!.close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    expect((await client.query('SELECT name FROM leases')).rows).toEqual([]);
    await client.end();
  });

  it.each(['is paused', 'is cut off', 'has its writers locked'])(
    'commands succeed if the database %s, and report that they wait',
    async (name) => {
      await provide();
      using folder = temporaryFolder();
      const env = { STAVE_DATABASE_URL: url };
      const create = 'clients create -n One -s tracks --allow-duplicate --json'.split(' ');
      const delivery = folder.at('one.ndjson');
      writeFileSync(delivery, '{"externalId":"1","name":"One","type":"music"}\n');
      // The tables exist already, so that the start waits only for the database.
      expect((await staveProcess(folder.path, create, { env })).code).toBe(0);
      const outage = outages[name]!;
      await outage.begin();
      const ends = [create, ['import', delivery, '--json']].map((args) =>
        watched(start(folder.path, args, { env })),
      );
      try {
        await until(() => ends.every(({ stderr }) => stderr().includes('waiting up to 300 s')));
      } finally {
        await outage.end();
      }
      for (const { ended, stderr } of ends) {
        const [code] = await ended;
        expect([code, stderr()]).toEqual([0, expect.stringMatching(DURATION)]);
        expect(stderr()).toMatch(outage.reason);
      }
      const listed = await staveProcess(folder.path, ['clients', 'list', '--json'], { env });
      expect(listed.json).toHaveLength(2);
    },
    180_000,
  );

  it.each(['1', '2'])(
    'a start waits, serves as soon as possible, and its requests do not wait, with %s workers',
    async (workers) => {
      await provide();
      using folder = temporaryFolder();
      const env = { STAVE_DATABASE_URL: url };
      const create = ['clients', 'create', '-n', 'One', '-s', 'playlists', '--json'];
      const { clientId, testSecret } = (await staveProcess(folder.path, create, { env })).json;
      link.cut();
      const serve = ['serve', '--workers', workers, '--json'];
      const node = watched(start(folder.path, serve, { env }));
      try {
        await until(() => node.stderr().includes('waiting for the database'));
        link.mend();
        await until(() => node.stdout().includes('\n'));
        expect(node.stderr()).toContain('the wait for the database is over');
        const { address } = JSON.parse(node.stdout()) as { address: string };
        const login = await fetch(`${address}/v1/auth/token`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            grant_type: 'client_credentials',
            client_id: clientId,
            client_secret: testSecret,
          }),
        });
        const token = ((await login.json()) as Json).data.access_token as string;
        const headers = { authorization: `Bearer ${token}` };
        expect((await fetch(`${address}/v1/playlists`, { headers })).status).toBe(200);
        link.cut();
        const before = performance.now();
        expect((await fetch(`${address}/v1/playlists`, { headers })).status).toBe(503);
        // It is detected within a second; the rest allows for two busy cores.
        expect(performance.now() - before).toBeLessThan(4_000);
      } finally {
        link.mend();
        node.child.kill('SIGTERM');
        await node.ended;
      }
    },
    120_000,
  );

  it.each(['1', '2'])(
    'SIGTERM ends the wait of a start at once, with %s workers',
    async (count) => {
      await provide();
      using folder = temporaryFolder();
      link.cut();
      try {
        const env = { STAVE_DATABASE_URL: url };
        const node = watched(start(folder.path, ['serve', '--workers', count], { env }));
        await until(() => node.stderr().includes('waiting for the database'));
        node.child.kill('SIGTERM');
        // The link is still cut.
        expect(await node.ended).toEqual([0, null]);
      } finally {
        link.mend();
      }
    },
  );

  it('an error that waiting cannot resolve fails at once', async () => {
    using folder = temporaryFolder();
    const unknown = new URL(server.url);
    unknown.pathname = '/nobody_made_this';
    const stranger = new URL(server.url);
    stranger.username = 'stranger';
    for (const [one, line] of [
      [unknown, /has no database of that name/],
      [stranger, /refuses this user|does not exist/],
      [new URL('postgres://stave@no.such.host.invalid/stave'), /cannot be reached/],
    ] as const) {
      const ran = await staveProcess(folder.path, ['clients', 'list'], {
        env: { STAVE_DATABASE_URL: one.href },
      });
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringMatching(line)]);
      expect(ran.stderr).not.toContain('waiting');
    }
  });
});
