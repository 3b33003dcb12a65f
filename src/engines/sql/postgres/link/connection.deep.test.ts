import { createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../../../test/harness/free-port.ts';
import { canStartPostgres } from '../../../../../test/harness/postgres-programs.ts';
import { startPostgres } from '../../../../../test/harness/postgres-server.ts';
import { openOn, recordingLog, spelled } from '../../../../../test/harness/postgres-store.ts';
import {
  createDatabase,
  POSTGRES_URL,
  type TestDatabase,
} from '../../../../../test/harness/services.ts';
import { OperatorError } from '../../../../common/errors.ts';

const PASSWORD = 'open-sesame-4711';

describe.skipIf(POSTGRES_URL === undefined)('a database that cannot be opened', () => {
  let place: TestDatabase;
  beforeAll(async () => {
    place = await createDatabase();
  });
  afterAll(() => place?.drop());

  /** Returns the address of the test database with a password, after `change`. */
  function address(change: (url: URL) => void = () => {}): string {
    const url = new URL(place.url);
    url.username ||= 'stave_nobody';
    url.password = PASSWORD;
    change(url);
    return url.href;
  }

  /** Returns the one line that the operator sees. */
  async function messageOf(url: string): Promise<string> {
    const log = recordingLog();
    const error = await openOn(url, { log }).then(
      (store) => store.close().then(() => expect.fail('it was opened')),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(OperatorError);
    expect(spelled(error) + log.text()).not.toContain(PASSWORD);
    const { message } = error as OperatorError;
    expect(message).not.toContain('\n');
    expect(message).toMatch(/^The database \S+ .+[.]$/);
    return message;
  }

  it.each<[what: string, change: (url: URL) => void, message: RegExp]>([
    [
      'the user does not exist',
      (url) => {
        url.username = 'stave_nobody';
      },
      /refuses this user: check the user, and pg_hba.conf/,
    ],
    [
      'the database does not exist',
      (url) => trusted(url, '/nowhere'),
      /no database of that name: create/,
    ],
    [
      'the host does not exist',
      (url) => (url.hostname = 'db.invalid'),
      /cannot be reached .*start it, or check/,
    ],
    [
      'the server does not support TLS',
      (url) => url.searchParams.set('sslmode', 'require'),
      /offers no TLS: switch it on there \(ssl = on\), or set sslmode=disable/,
    ],
  ])('causes a one-line error without the password: %s', async (_, change, message) => {
    expect(await messageOf(address(change))).toMatch(message);
  });

  it('causes a one-line error: nothing listens on the port', async () => {
    const port = await freePort();
    const url = address((one) => (one.port = String(port)));
    expect(await messageOf(url)).toMatch(/cannot be reached \(ECONNREFUSED\): start it, or check/);
  });

  it.each([
    ['sends nothing', '', /cannot be reached \(timeout expired\): start it, or check/],
    ['is not PostgreSQL', 'HTTP/1.1 400 Bad Request\r\n\r\n', /check STAVE_DATABASE_URL/],
  ])('causes a one-line error within 5 s: the server %s', async (_, reply, message) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      if (reply !== '') socket.once('data', () => socket.end(reply));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    try {
      const start = performance.now();
      const url = address((one) => (one.port = String(port)));
      expect(await messageOf(url)).toMatch(message);
      expect(performance.now() - start).toBeLessThan(5_000);
    } finally {
      server.close();
    }
  });

  it('causes a one-line error: its encoding cannot store every text', async () => {
    const [{ name }] = (await place.asAdministrator<{ name: string }>(
      `SELECT 'stave_test_latin_' || pg_backend_pid() AS name`,
    )) as [{ name: string }];
    await place.asAdministrator(
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`,
    );
    try {
      const url = new URL(place.url);
      url.pathname = `/${name}`;
      expect(await messageOf(url.href)).toMatch(/encoding is LATIN1.*create one with/);
    } finally {
      await place.asAdministrator(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  it('causes a one-line error: the user may not create tables', async () => {
    const [{ role }] = (await place.asAdministrator<{ role: string }>(
      `SELECT 'stave_test_role_' || pg_backend_pid() AS role`,
    )) as [{ role: string }];
    await place.asAdministrator(`CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`);
    try {
      const url = address((one) => (one.username = role));
      expect(await messageOf(url)).toMatch(/does not allow this user .*make the user the owner/);
    } finally {
      await place.asAdministrator(`DROP ROLE ${role}`);
    }
  });
});

describe.skipIf(!canStartPostgres)('a server that refuses the connection', () => {
  it('causes a one-line error without the password: the password is wrong or missing', async () => {
    await using server = await startPostgres();
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      await client.query(`CREATE ROLE guarded LOGIN PASSWORD '${PASSWORD}'`);
      // `cat` reads the row. With a program that does not, the COPY can fail: "Broken pipe".
      const line = 'host all guarded 127.0.0.1/32 scram-sha-256';
      await client.query(`COPY (SELECT '${line}') TO PROGRAM 'cat > pg_hba.conf'`);
      await client.query('SELECT pg_reload_conf()');
    } finally {
      await client.end();
    }
    const url = new URL(server.url);
    url.username = 'guarded';
    for (const [given, message] of [
      ['not-this-one', /refuses the password: check STAVE_DATABASE_URL\.$/],
      ['', /asks for a password, and none is given: put it into STAVE_DATABASE_URL, PGPASSWORD/],
    ] as const) {
      url.password = given;
      const error = await openOn(url.href).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OperatorError);
      expect((error as OperatorError).message).toMatch(message);
      expect((error as OperatorError).message).not.toContain('\n');
      expect(spelled(error)).not.toMatch(/not-this-one|open-sesame/);
    }
  });

  it('causes a one-line error: all its connections are in use', async () => {
    await using server = await startPostgres(['max_connections=5']);
    const clients: pg.Client[] = [];
    try {
      for (let isFull = false; !isFull; ) {
        const client = new pg.Client({ connectionString: server.url });
        client.on('error', () => {});
        await client.connect().then(
          () => clients.push(client),
          () => {
            isFull = true;
          },
        );
      }
      const error = await openOn(server.url).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OperatorError);
      expect((error as OperatorError).message).toMatch(
        /has no connection left to give \(.*too many clients.*\): end some .*, or raise max_connections\.$/,
      );
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  });
});

/** Sets the user of the tests, who may connect, and the path. */
function trusted(url: URL, pathname: string): void {
  url.username = new URL(POSTGRES_URL!).username;
  url.pathname = pathname;
}
