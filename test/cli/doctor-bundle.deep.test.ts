import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { fileNameOf, SETTINGS } from '../../src/app/config/settings.ts';
import { newId } from '../../src/common/ids.ts';
import { hashSecret } from '../../src/features/access/secret.ts';
import { linkPasswords } from '../../src/features/collections/link-password.ts';
import { linkTerms } from '../contract/collections-support.ts';
import { tokenOf } from '../endpoints/sessions-support.ts';
import { writeCertificate } from '../harness/certificate.ts';
import {
  openStoreOf,
  serve,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';

const PASSWORD = 'plañted p#ssword/of?the@test';
const ENCODED = encodeURIComponent(PASSWORD);
/** Nothing listens there. */
const NOWHERE = '127.0.0.1:9';

/** A valid value with a secret of each setting that may contain one. */
const SECRET_VALUES: Record<string, string> = {
  STAVE_DATABASE_URL: `postgres://planted:${ENCODED}@${NOWHERE}/stave`,
  STAVE_REDIS_URL: `redis://planted:${ENCODED}@${NOWHERE}`,
  STAVE_CLIENT_SECRET: 'stave_live_PlantedSecretOfTheClientOfMcp',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20planted-in-otel',
  STAVE_EMBEDDINGS_KEY: 'planted-key-of-embeddings',
};

/** Variables of other programs, and faults of operators. */
const OTHERS = {
  PGPASSWORD: 'planted-in-pgpassword',
  AWS_SECRET_ACCESS_KEY: 'planted-in-the-key-of-aws',
  AWS_SESSION_TOKEN: 'planted-in-the-token-of-aws',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=planted-in-otel',
};
const FAULTS = {
  STAVE_PUBLIC_URL: 'https://planted:in-the-public-url@api.example.com',
  STAVE_CONSOLE_URL: 'https://console.example.com/?key=planted-in-the-console-url',
  STAVE_DATABASE_PASSWORD: 'planted-in-an-unknown-setting',
};

/** All forms in which a secret may be written. */
function formsOf(secret: string | Uint8Array): string[] {
  const bytes = Buffer.from(secret);
  const inBase64 = [bytes.toString('base64'), bytes.toString('base64url')];
  const ofBytes = [bytes.toString('latin1'), bytes.toString('hex'), ...inBase64];
  if (typeof secret !== 'string') return ofBytes;
  return [...ofBytes, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)].map((one) =>
    Buffer.from(one).toString('latin1'),
  );
}

/** Runs `stave doctor --bundle`, and unpacks the archive. `all` is the archive and its files. */
async function bundleOf(folder: TemporaryFolder, name: string, env: Record<string, string>) {
  const file = folder.at(`${name}.zip`);
  const data = folder.at('data');
  const ran = await stave(data, ['doctor', '--bundle', file], { env });
  execFileSync('unzip', ['-q', file, '-d', folder.at(name)]);
  const names = readdirSync(folder.at(name)).sort();
  const texts = names.map((one) => readFileSync(folder.at(name, one)).toString('latin1'));
  expect(names).toEqual([
    ...['README.txt', 'findings.json', 'metrics.txt', 'platform.json'],
    ...['settings.json', 'store.json'],
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  return {
    ran,
    all: [readFileSync(file).toString('latin1'), ran.stdout, ran.stderr, ...texts].join('\n'),
    json: (one: string) => JSON.parse(readFileSync(folder.at(name, one), 'utf8')),
    metrics: readFileSync(folder.at(name, 'metrics.txt'), 'utf8'),
  };
}

function found(all: string, secrets: readonly (string | Uint8Array)[]): string[] {
  return secrets.flatMap((secret) => formsOf(secret).filter((form) => all.includes(form)));
}

/** The secrets in the database: keys, secrets of webhooks, hashes of secrets, and of passwords and links of operators. */
function storedSecrets(path: string): (string | Uint8Array)[] {
  using database = new DatabaseSync(path, { readOnly: true });
  const columns = database
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
         AND (c.name GLOB '*secret' OR c.name GLOB '*hash' OR c.name GLOB '*authorization' OR c.name = 'password'
           OR c.type = 'BLOB')`,
    )
    .all() as { table: string; column: string }[];
  const values = columns.flatMap(({ table, column }) =>
    database
      .prepare(`SELECT "${column}" AS value FROM "${table}" WHERE length("${column}") >= 16`)
      .all()
      .map(({ value }) => value as string | Uint8Array),
  );
  const passwords = database
    .prepare('SELECT password FROM operators WHERE password IS NOT NULL')
    .all();
  return [...values, ...passwords.map(({ password }) => String(password))];
}

it('contains no secret of the settings, the data folder, clients and a running service', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const create = ['clients', 'create', '--name', 'Acme', '--scopes', 'tracks'];
  const client = await staveJson(data, [...create, '--features', 'webhooks']);
  await stave(data, ['console', 'password', '--stdin'], { stdin: `${PASSWORD}\n` });
  const { link } = await staveJson(data, ['operators', 'add', 'anna', '--role', 'owner']);
  const seat = ['seats', 'create', client.clientId, '--role', 'buyer'];
  const [used, unused] = [
    await staveJson(data, [...seat, 'A']),
    await staveJson(data, [...seat, 'B']),
  ];
  const store = await openStoreOf(data);
  await store.webhooks.create(
    {
      id: '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41',
      url: 'https://partner.example/hook?token=planted-in-the-url-of-a-webhook',
      eventTypes: ['track.created'],
      description: '',
      authorization: 'Bearer planted-in-the-authorization-of-a-webhook',
      referencedOnly: false,
      secret: Buffer.from('planted-as-secret-of-the-webhook'),
    },
    { actor: `client:${client.clientId}`, clientId: client.clientId, mode: 'test' },
  );
  const session = { id: newId(), hash: hashSecret('planted-cookie'), expiresAt: 9e15 };
  await store.clientSessions.useLink(hashSecret(tokenOf(used)), session);
  const me = { actor: 'test', clientId: client.clientId, mode: 'test' } as const;
  await store.collections.create({ id: 'c', name: 'C', description: '', items: [] }, me);
  const password = await linkPasswords.make('planted-password-of-a-link');
  const shared = linkTerms('PlantedTokenOfThisLink', Date.now());
  await store.links.create('c', { ...shared, password }, me);
  await store.close();
  const pair = writeCertificate(folder.path)!;
  const env = {
    STAVE_TLS_CERT: pair.cert,
    STAVE_TLS_KEY: pair.key,
    STAVE_REDIS_URL: SECRET_VALUES.STAVE_REDIS_URL!,
    STAVE_CLIENT_SECRET: SECRET_VALUES.STAVE_CLIENT_SECRET!,
    STAVE_METRICS_PORT: String(await freePort()),
    NODE_EXTRA_CA_CERTS: pair.cert,
    ...OTHERS,
  };
  await using _serving = await serve(data, env);
  const { ran, all, json, metrics } = await bundleOf(folder, 'running', env);

  const pem = readFileSync(pair.key, 'utf8').split('\n').slice(1, -2);
  const stored = storedSecrets(folder.at('data', 'stave.db'));
  // Two hashes of client secrets, those of a link and a session, three keys, the secret and authorization of the webhook,
  // the hash, the sealed token and the password of the link to a collection, and the password of the console.
  expect(stored.length).toBeGreaterThanOrEqual(13);
  const secrets = [
    ...[PASSWORD, link.split('#')[1], client.testSecret, client.liveSecret, ...pem, ...stored],
    ...[tokenOf(unused), shared.token],
    ...['planted-in-the-url', 'planted-in-the-auth', 'planted-as-secret', 'planted-password'],
    ...[env.STAVE_REDIS_URL, env.STAVE_CLIENT_SECRET, ...Object.values(OTHERS)],
  ];
  expect(found(all, secrets)).toEqual([]);
  // The search finds what is there.
  expect(found(all, [pair.key]).length).toBeGreaterThan(0);

  expect(ran.stdout).toMatch(/^wrote .*running\.zip: read it before you send it$/m);
  expect(json('findings.json')).toContainEqual(
    expect.objectContaining({ check: 'redis', status: 'warning' }),
  );
  expect(json('store.json')).toMatchObject({
    schema: { isServer: false, steps: [] },
    rows: { clients: 1, client_secrets: 2, webhooks: 1, tracks: 0 },
  });
  expect(metrics).toMatch(/^stave_tracks 0$/m);
  expect(json('settings.json').others).toEqual(expect.arrayContaining(Object.keys(OTHERS)));
  expect(json('settings.json').settings).toEqual(
    expect.arrayContaining([
      { name: 'STAVE_TLS_KEY', from: 'environment', value: pair.key },
      { name: 'STAVE_REDIS_URL', from: 'environment', value: null },
    ]),
  );
});

const secretSettings = Object.values(SETTINGS).filter(({ isSecret }) => isSecret);

it.each(['value', 'file'])(
  'contains no setting that may be secret, given by its %s',
  async (way) => {
    using folder = temporaryFolder();
    const env = Object.fromEntries(
      secretSettings.map((setting) => {
        const value = SECRET_VALUES[setting.name];
        if (value === undefined) throw new Error(`give ${setting.name} a value with a secret here`);
        if (way === 'value') return [setting.name, value];
        writeFileSync(folder.at(setting.name), `${value}\n`);
        return [fileNameOf(setting), folder.at(setting.name)];
      }),
    );
    const { ran, all, json } = await bundleOf(folder, 'one', env);
    expect(found(all, [PASSWORD, 'planted-in-otel', ...Object.values(SECRET_VALUES)])).toEqual([]);
    const from = way === 'value' ? 'environment' : 'file';
    for (const { name } of secretSettings) {
      expect(json('settings.json').settings).toContainEqual({ name, from, value: null });
    }
    // The database does not answer, and the archive is written nevertheless.
    expect(ran.code).toBe(1);
    expect(json('store.json')).toEqual({ problem: expect.stringContaining(NOWHERE) });
  },
);

it('contains no value of settings that are invalid, unknown or given twice', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('twice'), 'redis://planted:in-a-second-value@127.0.0.1');
  const env = {
    ...FAULTS,
    STAVE_DATABASE_URL: `postgres://planted:${PASSWORD}@${NOWHERE}/stave`,
    STAVE_REDIS_URL: SECRET_VALUES.STAVE_REDIS_URL!,
    STAVE_REDIS_URL_FILE: folder.at('twice'),
    STAVE_CLIENT_SECRET_FILE: folder.at('absent'),
  };
  const { ran, all, json } = await bundleOf(folder, 'invalid', env);
  const values = [...Object.values(FAULTS), env.STAVE_DATABASE_URL, env.STAVE_REDIS_URL];
  const parts = ['in-the-public-url', 'planted-in-the', 'in-a-second-value'];
  expect(found(all, [PASSWORD, ...values, ...parts])).toEqual([]);
  expect(ran.code).toBe(1);
  expect(json('settings.json').others).toContain('STAVE_DATABASE_PASSWORD');
  expect(json('settings.json').settings).toContainEqual({
    ...{ name: 'STAVE_PUBLIC_URL', from: 'environment', value: null },
    problem: expect.stringContaining('without user'),
  });
  expect(json('store.json')).toBeNull();
});
