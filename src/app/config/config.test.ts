import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { OperatorError } from '../../common/errors.ts';
import { readConfig, wantsStacks } from './config.ts';
import { SETTINGS } from './settings.ts';

function problemOf(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError);
    return (error as Error).message;
  }
  throw new Error('the environment was accepted');
}

describe('readConfig', () => {
  it('has defaults for all settings in an empty environment', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8080,
      dataFolder: resolve('data'),
      publicUrl: null,
      demo: true,
      tls: null,
      trustProxy: false,
      maxConnections: { inAll: 10_000, ofAddress: 2_000 },
      metrics: null,
      metricsHosts: [],
      console: null,
      consoleUserHeader: null,
      consolePasswords: true,
      logLevel: 'info',
      database: null,
      databaseWaitMs: 300_000,
      staleLimitSeconds: 60,
      historyYears: 10,
      usageMaxAgeDays: 7,
      licensor: 'Stave',
      backupSchedule: null,
      catalogLanguage: 'en',
      webhookTargets: 'public',
      previewThreads: 1,
      streams: 'playable',
      streamKbps: 192,
      streamAhead: 10_000,
      streamCacheGb: 50,
      analysis: true,
      ffmpeg: { setting: null, searchPath: '' },
      embeddings: { setting: null, model: 'text-embedding-3-small', key: null },
      redisUrl: null,
      media: null,
      systemd: null,
      mcp: { url: 'http://127.0.0.1:8080', clientId: null, clientSecret: null },
      tracing: null,
      sudoUser: null,
    });
  });

  it('reads every setting', () => {
    expect(
      readConfig({
        HOST: '::1',
        PORT: '0',
        STAVE_DATA: '/srv/stave',
        STAVE_PUBLIC_URL: 'https://API.example.com/music/',
        STAVE_DEMO: 'off',
        STAVE_TLS_CERT: '/etc/cert.pem',
        STAVE_TLS_KEY: '/etc/key.pem',
        STAVE_TRUST_PROXY: '10.0.0.0/8, loopback,::1',
        STAVE_MAX_CONNECTIONS: '50000',
        STAVE_MAX_CONNECTIONS_PER_ADDRESS: '200',
        STAVE_METRICS_PORT: '9464',
        STAVE_METRICS_HOSTS: 'stave.monitoring.svc,host.docker.internal',
        STAVE_CONSOLE_PORT: '9465',
        STAVE_CONSOLE_HOST: '10.0.0.5',
        STAVE_CONSOLE_URL: 'https://Console.example.com/',
        STAVE_CONSOLE_USER_HEADER: 'X-Forwarded-User',
        STAVE_CONSOLE_PASSWORDS: 'off',
        STAVE_LOG_LEVEL: 'silent',
        STAVE_DATABASE_URL: 'postgres://stave:secret@db.example.com:6432/stave?sslmode=verify-full',
        STAVE_DATABASE_POOL: '20',
        STAVE_DATABASE_WAIT: '30',
        STAVE_STALE_LIMIT: '300',
        STAVE_HISTORY_YEARS: '1',
        STAVE_USAGE_MAX_AGE_DAYS: '90',
        STAVE_LICENSOR: 'Lighthouse Music',
        STAVE_CATALOG_LANGUAGE: 'PT-br',
        STAVE_WEBHOOK_TARGETS: 'any',
        STAVE_EMBEDDINGS: 'https://embeddings.example.com/v1/',
        STAVE_EMBEDDINGS_MODEL: 'small',
        STAVE_EMBEDDINGS_KEY: 'sk-sesame',
        STAVE_REDIS_URL: 'rediss://redis.example.com/2',
        STAVE_MEDIA_URL: 's3://house-audio/stave/live/',
        STAVE_MEDIA_DELIVERY: 'proxy',
        STAVE_BACKUP_SCHEDULE: '03:30 s3://house-backups/stave daily=3',
        STAVE_PREVIEW_THREADS: '0',
        STAVE_STREAM: 'mp3',
        STAVE_STREAM_KBPS: '320',
        STAVE_STREAM_AHEAD: '0',
        STAVE_STREAM_CACHE_GB: '1',
        STAVE_ANALYSIS: 'off',
        STAVE_FFMPEG: '/opt/ffmpeg',
        STAVE_URL: 'https://api.example.com/',
        STAVE_CLIENT_ID: 'some-client',
        STAVE_CLIENT_SECRET: 'stave_test_sesame',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com:4318/',
        OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20sesame%2C, x-tenant = a=b',
        OTEL_SERVICE_NAME: 'stave-eu',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
        PATH: '/usr/bin:/bin',
        SUDO_USER: 'anna',
      }),
    ).toEqual({
      host: '::1',
      port: 0,
      dataFolder: '/srv/stave',
      publicUrl: 'https://api.example.com/music',
      demo: false,
      tls: { certFile: '/etc/cert.pem', keyFile: '/etc/key.pem' },
      trustProxy: ['10.0.0.0/8', 'loopback', '::1'],
      maxConnections: { inAll: 50_000, ofAddress: 200 },
      metrics: { host: '127.0.0.1', port: 9464 },
      metricsHosts: ['stave.monitoring.svc', 'host.docker.internal'],
      console: { host: '10.0.0.5', port: 9465, url: 'https://console.example.com' },
      consoleUserHeader: 'x-forwarded-user',
      consolePasswords: false,
      logLevel: 'silent',
      database: {
        url: 'postgres://stave:secret@db.example.com:6432/stave?sslmode=verify-full',
        pool: 20,
      },
      databaseWaitMs: 30_000,
      staleLimitSeconds: 300,
      historyYears: 1,
      usageMaxAgeDays: 90,
      licensor: 'Lighthouse Music',
      backupSchedule: { minutes: 210, place: 's3://house-backups/stave', keep: 'daily=3' },
      catalogLanguage: 'pt-BR',
      webhookTargets: 'any',
      previewThreads: 0,
      streams: 'mp3',
      streamKbps: 320,
      streamAhead: 0,
      streamCacheGb: 1,
      analysis: false,
      ffmpeg: { setting: '/opt/ffmpeg', searchPath: '/usr/bin:/bin' },
      embeddings: {
        setting: 'https://embeddings.example.com/v1',
        model: 'small',
        key: 'sk-sesame',
      },
      redisUrl: 'rediss://redis.example.com/2',
      media: { bucket: 'house-audio', prefix: 'stave/live', delivery: 'proxy' },
      systemd: null,
      sudoUser: 'anna',
      mcp: {
        url: 'https://api.example.com',
        clientId: 'some-client',
        clientSecret: 'stave_test_sesame',
      },
      tracing: {
        url: 'https://collector.example.com:4318/v1/traces',
        headers: { Authorization: 'Bearer sesame,', 'x-tenant': 'a=b' },
        serviceName: 'stave-eu',
        traceSampler: 'parentbased_traceidratio',
        traceRatio: 0.25,
      },
    });
  });

  it.each([
    [
      { STAVE_CONSOLE_PASSWORDS: 'off' },
      'STAVE_CONSOLE_USER_HEADER is missing: with STAVE_CONSOLE_PASSWORDS=off, nobody could sign in',
    ],
    [
      { STAVE_CONSOLE_USER_HEADER: 'X-Forwarded-User' },
      'STAVE_TRUST_PROXY is missing: STAVE_CONSOLE_USER_HEADER is believed only from proxies that it names',
    ],
  ])('refuses %j', (env, problem) => {
    expect(problemOf(env)).toBe(problem);
  });

  it.each([
    ['[::]:9464', { host: '::', port: 9464 }],
    ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
    ['metrics.internal:1', { host: 'metrics.internal', port: 1 }],
  ])('serves metrics at %s', (text, metrics) => {
    expect(readConfig({ STAVE_METRICS_PORT: text }).metrics).toEqual(metrics);
  });

  it('treats an empty value as absent', () => {
    const empty = Object.values(SETTINGS).map(({ name }) => [name, '']);
    expect(readConfig(Object.fromEntries(empty))).toEqual(readConfig({}));
  });

  it('accepts each example of the reference', () => {
    for (const setting of Object.values(SETTINGS)) {
      if (!setting.meaning.includes('Not served')) {
        expect(() => setting.parse(setting.example), setting.name).not.toThrow();
      }
    }
  });

  it.each([
    ['STAVE_DTA', 'STAVE_DATA'],
    ['STAVE_PORT', 'PORT'],
    ['STAVE_PUBLICURL', 'STAVE_PUBLIC_URL'],
    ['STAVE_DATABASE', 'STAVE_DATABASE_URL'],
    ['STAVE_TLS_CERTIFICATE', 'STAVE_TLS_CERT'],
  ])('names the nearest setting for %s', (name, near) => {
    expect(problemOf({ [name]: 'sesame' })).toBe(`${name} is not a setting: did you mean ${near}?`);
  });

  it('names all settings if none is near', () => {
    const problem = problemOf({ STAVE_XYZZYPLUGH: '1' });
    expect(problem).toContain('is not a setting: the settings are HOST, PORT, ');
    for (const { name } of Object.values(SETTINGS)) {
      expect(problem).toContain(name);
    }
  });

  it('ignores the names of the tests and of other programs', () => {
    expect(readConfig({ STAVE_TEST_ANYTHING: '1', HOSTNAME: 'x', PORTS: 'y' })).toEqual(
      readConfig({}),
    );
  });

  it.each([
    ['HOST', '[::1]'],
    ['HOST', '256.1.1.1'],
    ['HOST', 'sesame open'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '0x50'],
    ['PORT', '80 '],
    ['STAVE_PUBLIC_URL', 'sesame'],
    ['STAVE_PUBLIC_URL', 'ftp://example.com'],
    ['STAVE_PUBLIC_URL', 'https://anna:sesame@example.com'],
    ['STAVE_PUBLIC_URL', 'https://example.com/?a=sesame'],
    ['STAVE_LICENSOR', 'sesame\nopen'],
    ['STAVE_LICENSOR', '\t'],
    ['STAVE_DEMO', 'false'],
    ['STAVE_MAX_CONNECTIONS', '-9'],
    ['STAVE_MAX_CONNECTIONS_PER_ADDRESS', 'many'],
    ['STAVE_TRUST_PROXY', 'true'],
    ['STAVE_TRUST_PROXY', '0.0.0.0/0'],
    ['STAVE_TRUST_PROXY', '10.0.0.0/33'],
    ['STAVE_TRUST_PROXY', '10.0.0.0/8,'],
    ['STAVE_CONSOLE_PORT', 'on'],
    ['STAVE_CONSOLE_HOST', 'two words'],
    ['STAVE_CONSOLE_URL', 'console.example.com'],
    ['STAVE_CONSOLE_URL', 'https://console.example.com/path'],
    ['STAVE_CONSOLE_USER_HEADER', 'X-Forwarded-User:'],
    ['STAVE_CONSOLE_PASSWORDS', 'no'],
    ['STAVE_METRICS_PORT', 'yes'],
    ['STAVE_METRICS_PORT', '99999'],
    ['STAVE_METRICS_HOSTS', 'stave.svc:9464'],
    ['STAVE_METRICS_HOSTS', 'stave.svc, other.svc'],
    ['STAVE_LOG_LEVEL', 'verbose'],
    ['STAVE_DATABASE_URL', 'mysql://stave:sesame@db/stave'],
    ['STAVE_REDIS_URL', 'http://:sesame@localhost'],
    ['STAVE_EMBEDDINGS', 'sesame'],
    ['STAVE_EMBEDDINGS', 'https://anna:sesame@example.com/v1'],
    ['STAVE_EMBEDDINGS_MODEL', 'sesame\nopen'],
    ['STAVE_EMBEDDINGS_KEY', 'open sesame'],
    ['STAVE_MEDIA_URL', 's3:/sesame/prefix'],
    ['STAVE_URL', 'https://anna:sesame@example.com'],
    ['STAVE_CLIENT_ID', 'open sesame'],
    ['STAVE_CLIENT_SECRET', 'sesame\n'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://anna:sesame@collector'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'Bearer sesame'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=sesame,'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=sesame%zz'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=sesame%0d%0ahost:%20x'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ])('refuses %s=%s in one line without showing the value', (name, value) => {
    const problem = problemOf({ [name]: value });
    expect(problem).toMatch(new RegExp(`^${name} [^\\n]+$`));
    expect(problem).not.toContain(value);
    expect(problem).not.toContain('sesame');
  });

  it('names the values of STAVE_EMBEDDINGS', () => {
    expect(problemOf({ STAVE_EMBEDDINGS: 'locally' })).toContain(
      'must be local, off, or the address',
    );
  });

  it.each([
    ...Object.values(SETTINGS).map(({ name }) => name),
    ...['STAVE_DATABASE_URL_FILE', 'PGPASSWORD', 'PGPASSFILE', 'AWS_SECRET_ACCESS_KEY'],
  ])('refuses a carriage return at the end of %s, and says where it comes from', (name) => {
    const example = Object.values(SETTINGS).find((one) => one.name === name)?.example ?? 'sesame';
    expect(problemOf({ [name]: `${example}\r` })).toContain(
      `${name} ends with a carriage return: save the file that contains it with the line ends of Unix`,
    );
  });

  it.each(['STAVE_DATA', 'STAVE_REDIS_URL', 'STAVE_CLIENT_SECRET', 'PGPASSWORD'])(
    'refuses a line feed at the end of %s, and says how to remove it',
    (name) => {
      const text = name === 'STAVE_REDIS_URL' ? 'redis://redis' : 'sesame';
      expect(problemOf({ [name]: `${text}\n` })).toBe(
        `${name} ends with a line feed: remove it (in YAML, write |- in place of |)`,
      );
      expect(problemOf({ [name]: `${text}\r\n` })).toContain('ends with a carriage return');
    },
  );

  it.each(['/var/lib/stave ', '\u{feff}/var/lib/stave', '/var/lib\t/stave'])(
    'refuses what nobody sees in a path: %j',
    (path) => {
      expect(problemOf({ STAVE_DATA: path })).toMatch(
        /^STAVE_DATA must not contain a control character, or/,
      );
    },
  );

  it('requires a certificate and a key together', () => {
    expect(problemOf({ STAVE_TLS_CERT: 'a.pem' })).toContain('STAVE_TLS_KEY is missing');
    expect(problemOf({ STAVE_TLS_KEY: 'a.pem' })).toContain('STAVE_TLS_CERT is missing');
  });

  it('reports all problems in one line', () => {
    const problem = problemOf({ PORT: 'x', STAVE_DEMO: 'x', STAVE_DEMI: 'x' });
    expect(problem.split('; ')).toHaveLength(3);
    expect(problem).not.toContain('\n');
  });
});

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stave-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const secrets = Object.values(SETTINGS).filter(({ isSecret }) => isSecret);

  function written(text: string): string {
    const path = join(folder, 'secret');
    writeFileSync(path, text);
    return path;
  }

  it.each(secrets.map(({ name, example }) => [name, example]))(
    'is read for %s, with or without the end of its line',
    (name, example) => {
      const expected = readConfig({ [name]: example });
      for (const end of ['', '\n']) {
        expect(readConfig({ [`${name}_FILE`]: written(example + end) })).toEqual(expected);
        expect(readConfig({ [name]: '', [`${name}_FILE`]: written(example + end) })).toEqual(
          expected,
        );
      }
    },
  );

  it('is possible for the settings that may contain one, and for no other', () => {
    expect(secrets.map(({ name }) => name)).toEqual([
      'STAVE_DATABASE_URL',
      'STAVE_EMBEDDINGS_KEY',
      'STAVE_REDIS_URL',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'STAVE_CLIENT_SECRET',
    ]);
    expect(problemOf({ STAVE_DATA_FILE: written('/var/lib/stave') })).toMatch(
      /^STAVE_DATA_FILE is not a setting/,
    );
  });

  it.each([
    ['', 'is missing: the file that STAVE_REDIS_URL_FILE names is empty'],
    ['\n', 'is missing: the file that STAVE_REDIS_URL_FILE names is empty'],
    ['redis://:sesame@redis:6379\r\n', 'ends with a carriage return: save the file'],
    ['redis://:sesame@redis:6379\n\n', 'ends with a line feed: remove it'],
    ['http://:sesame@redis', 'must be redis://'],
  ])('is refused with a clear message, without showing it: %j', (text, message) => {
    const problem = problemOf({ STAVE_REDIS_URL_FILE: written(text) });
    expect(problem).toContain(`STAVE_REDIS_URL ${message}`);
    expect(problem).not.toContain('sesame');
  });

  it('is refused if the file cannot be read, without the path, which may be the secret itself', () => {
    for (const [path, code] of [
      ['/nowhere/sesame', 'ENOENT'],
      [folder, 'EISDIR'],
    ] as const) {
      expect(problemOf({ STAVE_REDIS_URL_FILE: path })).toBe(
        `STAVE_REDIS_URL cannot be read from the file that STAVE_REDIS_URL_FILE names (${code})`,
      );
    }
  });

  it('is refused beside the setting itself', () => {
    const given = { STAVE_REDIS_URL: 'redis://a', STAVE_REDIS_URL_FILE: written('redis://b') };
    expect(problemOf(given)).toBe(
      'STAVE_REDIS_URL and STAVE_REDIS_URL_FILE are both set: remove one of them',
    );
  });
});

describe('wantsStacks', () => {
  it('is true only for debug and trace', () => {
    expect(wantsStacks({ STAVE_LOG_LEVEL: 'debug', PORT: 'broken' })).toBe(true);
    expect(wantsStacks({ STAVE_LOG_LEVEL: 'trace' })).toBe(true);
    expect(wantsStacks({ STAVE_LOG_LEVEL: 'info' })).toBe(false);
    expect(wantsStacks({})).toBe(false);
  });
});
