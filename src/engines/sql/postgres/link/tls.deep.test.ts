import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Json,
  serve,
  stave,
  staveProcess,
  type TemporaryFolder,
  temporaryFolder,
} from '../../../../../test/harness/cli.ts';
import { canStartPostgres } from '../../../../../test/harness/postgres-programs.ts';
import {
  type PostgresServer,
  serverUser,
  startPostgres,
} from '../../../../../test/harness/postgres-server.ts';
import { openOn } from '../../../../../test/harness/postgres-store.ts';
import { until } from '../../../../../test/harness/until.ts';
import { OperatorError } from '../../../../common/errors.ts';
import { findLink } from './connection.ts';

const PASSWORD = 'a#b/c?d';

describe.skipIf(!canStartPostgres)('TLS to PostgreSQL', () => {
  let folder: TemporaryFolder;
  let secured: PostgresServer;
  let plain: PostgresServer;

  beforeAll(async () => {
    folder = temporaryFolder();
    mkdirSync(folder.at('tls'));
    for (const authority of ['ca', 'other']) signed(authority);
    signed('server', 'ca');
    signed('client', 'ca');
    const user = serverUser();
    if (user !== undefined) {
      // PostgreSQL accepts a key of root that its group may read.
      chownSync(folder.at('tls/server.key'), 0, user.gid);
      chmodSync(folder.at('tls/server.key'), 0o640);
      for (const path of ['', 'tls']) chmodSync(folder.at(path), 0o755);
    }
    secured = await startPostgres([
      'ssl=on',
      `ssl_cert_file=${folder.at('tls/server.crt')}`,
      `ssl_key_file=${folder.at('tls/server.key')}`,
      `ssl_ca_file=${folder.at('tls/ca.crt')}`,
    ]);
    plain = await startPostgres();
    await onServer(`CREATE ROLE encrypted LOGIN; CREATE ROLE unencrypted LOGIN; CREATE ROLE certified LOGIN;
      CREATE ROLE guarded LOGIN PASSWORD '${PASSWORD}';`);
    await onServer('CREATE DATABASE kept OWNER stave');
    const entries = [
      'hostssl all encrypted all trust',
      'hostnossl all unencrypted all trust',
      'hostssl all certified all trust clientcert=verify-ca',
      'hostssl all guarded all scram-sha-256',
      'local all stave trust',
      'host all stave all trust',
    ];
    const rows = entries.map((entry) => `('${entry}')`).join(', ');
    await onServer(`COPY (VALUES ${rows}) TO PROGRAM 'cat > pg_hba.conf'`);
    await onServer('SELECT pg_reload_conf()');
  }, 60_000);
  afterAll(async () => {
    await secured?.[Symbol.asyncDispose]();
    await plain?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  /** Writes a key and a certificate for localhost, signed by the authority, or by itself. */
  function signed(name: string, authority?: string): void {
    const at = (file: string) => folder.at(`tls/${file}`);
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const made = ['-keyout', at(`${name}.key`), '-out', at(`${name}.crt`), '-subj', `/CN=${name}`];
    const by =
      authority === undefined
        ? []
        : ['-CA', at(`${authority}.crt`), '-CAkey', at(`${authority}.key`)];
    const names = authority === undefined ? [] : ['-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', ['req', '-x509', ...key, ...made, ...by, ...names], {
      stdio: 'ignore',
    });
  }

  async function onServer(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: secured.url });
    await client.connect();
    try {
      const result = await client.query(sql);
      return result.rows;
    } finally {
      await client.end();
    }
  }

  const urlOf = (parameters: string, { user = 'stave', host = 'localhost' } = {}) =>
    `postgres://${user}@${host}:${secured.port}/kept?${parameters}`;
  const pem = (name: string) => folder.at(`tls/${name}`);

  /** Returns the decided mode, or the message of the refusal. */
  async function outcomeOf(url: string): Promise<string> {
    try {
      const link = await findLink(url);
      return new URL(link.url).searchParams.getAll('sslmode').at(-1)!;
    } catch (error) {
      expect(error).toBeInstanceOf(OperatorError);
      expect((error as Error).message).toMatch(/^[^\n]+\.$/);
      return (error as Error).message;
    }
  }

  it.each([
    ['disable', 'stave', 'disable'],
    ['disable', 'unencrypted', 'disable'],
    [
      'disable',
      'encrypted',
      /refuses this user without encryption: set sslmode=verify-full and sslrootcert=FILE/,
    ],
    ['allow', 'stave', 'disable'],
    ['allow', 'encrypted', 'require'],
    ['prefer', 'stave', 'require'],
    ['prefer', 'encrypted', 'require'],
    ['prefer', 'unencrypted', 'disable'],
    ['prefer', 'nobody', /refuses this user: check the user, and pg_hba.conf/],
    ['allow', 'nobody', /refuses this user: check the user, and pg_hba.conf/],
    ['require', 'encrypted', 'require'],
    ['require', 'unencrypted', /refuses this user: check the user, and pg_hba.conf/],
  ])('sslmode=%s as %s', async (mode, user, expected) => {
    expect(await outcomeOf(urlOf(`sslmode=${mode}`, { user }))).toMatch(expected);
  });

  it.each<[string, string, string | RegExp]>([
    ['verify-full', 'ca.crt', 'verify-full'],
    [
      'verify-full',
      'other.crt',
      /authority that is not trusted \(\w+\): name the file .* by sslrootcert=FILE/,
    ],
    [
      'verify-full',
      '',
      /authority that is not trusted \(\w+\): name the file .* by sslrootcert=FILE/,
    ],
    ['verify-ca', 'ca.crt', 'verify-ca'],
    ['verify-ca', 'other.crt', /authority that is not trusted/],
    ['require', 'other.crt', /authority that is not trusted/],
    ['require', '', 'require'],
    ['prefer', 'other.crt', 'disable'],
  ])('sslmode=%s with sslrootcert=%s', async (mode, file, expected) => {
    const root = file === '' ? '' : `&sslrootcert=${pem(file)}`;
    expect(await outcomeOf(urlOf(`sslmode=${mode}${root}`))).toMatch(expected);
  });

  it('verifies the name with verify-full alone', async () => {
    const root = `sslrootcert=${pem('ca.crt')}`;
    const host = '127.0.0.1';
    expect(await outcomeOf(urlOf(`sslmode=verify-full&${root}`, { host }))).toMatch(
      /certificate for another name \(.*127\.0\.0\.1.*\): use a name of the certificate .*, or sslmode=verify-ca/,
    );
    expect(await outcomeOf(urlOf(`sslmode=verify-ca&${root}`, { host }))).toBe('verify-ca');
  });

  it('names a file that cannot be used', async () => {
    writeFileSync(pem('empty.crt'), '');
    for (const [path, reason] of [
      [pem('missing.crt'), 'no such file or folder'],
      [pem('empty.crt'), 'it is not PEM'],
    ] as const) {
      expect(await outcomeOf(urlOf(`sslmode=verify-full&sslrootcert=${path}`))).toBe(
        `${path}, the sslrootcert of the database, cannot be used (${reason}): name a PEM file that this user may read.`,
      );
    }
  });

  it('shows its own certificate to the server', async () => {
    const pair = `sslcert=${pem('client.crt')}&sslkey=${pem('client.key')}`;
    const user = 'certified';
    expect(await outcomeOf(urlOf(`sslmode=require&${pair}`, { user }))).toBe('require');
    expect(await outcomeOf(urlOf('sslmode=require', { user }))).toMatch(
      /cannot be used .*certificate|refuses/,
    );
  });

  it('names the remedy if the server offers no TLS, which only prefer and allow accept', async () => {
    const outcomes = ['allow', 'prefer', 'require'].map((mode) =>
      outcomeOf(`${plain.url}?sslmode=${mode}`),
    );
    expect(await Promise.all(outcomes)).toEqual([
      'disable',
      'disable',
      expect.stringMatching(
        /offers no TLS: switch it on there \(ssl = on\), or set sslmode=disable/,
      ),
    ]);
  });

  it('accepts an encoded password, and connects by a Unix socket without TLS', async () => {
    const user = `guarded:${encodeURIComponent(PASSWORD)}`;
    expect(await outcomeOf(urlOf('sslmode=require', { user }))).toBe('require');
    const [{ unix_socket_directories: socket }] = (await onServer(
      'SHOW unix_socket_directories',
    )) as [{ unix_socket_directories: string }];
    const url = `postgres://stave@/kept?host=${socket}&port=${secured.port}`;
    expect(await findLink(url)).toEqual({ url, wiring: 'direct' });
  });

  it('takes the password from the file that PGPASSFILE names, if only its owner may read it', async () => {
    const PGPASSFILE = folder.at('passwords');
    writeFileSync(PGPASSFILE, `localhost:${secured.port}:kept:guarded:${PASSWORD}\n`);
    const env = { STAVE_DATABASE_URL: urlOf('sslmode=require', { user: 'guarded' }), PGPASSFILE };
    for (const [mode, asksForPassword] of [
      [0o644, true],
      [0o600, false],
    ] as const) {
      chmodSync(PGPASSFILE, mode);
      const { json } = await staveProcess(folder.at('doctor'), ['doctor', '--json'], { env });
      const { detail } = json.findings.find(({ check }: Json) => check === 'database');
      expect(detail.includes('asks for a password, and none is given')).toBe(asksForPassword);
    }
  });

  it('encrypts every connection of a store', async () => {
    const store = await openOn(urlOf(`sslmode=verify-full&sslrootcert=${pem('ca.crt')}`));
    try {
      const stop = store.changes.watch(() => {});
      await store.catalog.counts();
      const sessions = await onServer(`SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity
        USING (pid) WHERE application_name = 'stave'`);
      expect(sessions).toEqual([{ ssl: true }]);
      stop();
    } finally {
      await store.close();
    }
  });

  it('reads the files again for each connection, and keeps the last ones while they change', async () => {
    const install = (from: string, to: string) => writeFileSync(pem(to), readFileSync(pem(from)));
    const installPair = (from: string, to: string) => {
      for (const end of ['crt', 'key']) install(`${from}.${end}`, `${to}.${end}`);
    };
    install('ca.crt', 'trusted.crt');
    installPair('client', 'mine');
    const url = urlOf(
      `sslmode=verify-full&sslrootcert=${pem('trusted.crt')}&sslcert=${pem('mine.crt')}&sslkey=${pem('mine.key')}`,
    );
    const store = await openOn(url);
    /** Returns the certificates that the store shows on new connections. */
    const shown = async () => {
      const sessions = "pg_stat_activity WHERE application_name = 'stave' AND datname = 'kept'";
      await onServer(`SELECT pg_terminate_backend(pid, 5000) FROM ${sessions}`);
      await until(() => store.catalog.counts().then(Boolean, () => false));
      return onServer(`SELECT DISTINCT client_dn FROM pg_stat_ssl
        WHERE pid IN (SELECT pid FROM ${sessions})`);
    };
    try {
      expect(await shown()).toEqual([{ client_dn: '/CN=client' }]);
      install('other.key', 'mine.key');
      expect(await shown()).toEqual([{ client_dn: '/CN=client' }]);
      expect(await outcomeOf(url)).toMatch(/sslcert and sslkey .* cannot be used \(.*mismatch.*\)/);
      signed('renewed', 'ca');
      installPair('renewed', 'mine');
      signed('successor', 'other');
      installPair('successor', 'server');
      install('other.crt', 'trusted.crt');
      await onServer('SELECT pg_reload_conf()');
      expect(await shown()).toEqual([{ client_dn: '/CN=renewed' }]);
    } finally {
      await store.close();
    }
  });

  it('warns of plain text to another host, at a start and in the doctor', async () => {
    const warning = /the connection to the database is not encrypted: set sslmode=verify-full/;
    // Leads to this machine, and is none of the names that say so.
    const host = '0.0.0.0';
    for (const [mode, isPlain] of [
      ['disable', true],
      ['prefer', false],
    ] as const) {
      const env = { STAVE_DATABASE_URL: urlOf(`sslmode=${mode}`, { host }), STAVE_DEMO: 'off' };
      await using service = await serve(folder.at(mode), { ...env, PORT: '0' });
      await service.stop();
      expect(warning.test(service.output())).toBe(isPlain);
      const { json } = await stave(folder.at(mode), ['doctor', '--json'], { env });
      expect(json.findings).toContainEqual(
        expect.objectContaining({
          check: 'database',
          status: isPlain ? 'warning' : 'ok',
          advice: isPlain ? expect.stringContaining('sslmode=verify-full') : null,
        }),
      );
    }
  }, 60_000);
});
