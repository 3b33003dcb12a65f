import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Json,
  type Serving,
  serve,
  someTracks,
  start,
  stave,
  staveJson,
  staveProcess,
  type TemporaryFolder,
  temporaryFolder,
  until,
  wav,
} from './harness.ts';

let folder: TemporaryFolder;
let service: Serving;
beforeAll(async () => {
  folder = temporaryFolder();
  service = await serve(folder.path);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const newClient = (...args: string[]) =>
  staveJson(folder.path, [
    'clients',
    'create',
    '--name',
    'Acme',
    '--scopes',
    'tracks,search,filters,playlists',
    ...args,
  ]);

describe('a running service', () => {
  it('sees what commands change', async () => {
    const { clientId, liveSecret } = await newClient();
    let token = '';
    await until(async () => {
      token = await service.token(clientId, liveSecret).catch(() => '');
      return token !== '';
    }, 'the new client');
    const total = async (path: string) => (await service.get(path, token)).body.data.totalRecords;

    writeFileSync(folder.at('tracks.ndjson'), someTracks(4));
    await staveJson(folder.path, ['import', folder.at('tracks.ndjson')]);
    await until(async () => (await total('/v1/tracks')) === 4, 'the imported tracks');

    await staveJson(folder.path, ['tracks', 'takedown', 'track-2']);
    await until(async () => (await total('/v1/tracks')) === 3, 'the takedown');
    expect((await service.get('/v1/tracks/track-2', token)).status).toBe(404);
    await staveJson(folder.path, ['tracks', 'restore', 'track-2']);
    await until(async () => (await total('/v1/tracks')) === 4, 'the restored track');

    const { slug } = await staveJson(folder.path, [
      'playlists',
      'create',
      '--name',
      'Night',
      '--tracks',
      'track-3,track-1',
    ]);
    expect((await service.get(`/v1/playlists/${slug}/tracks`, token)).status).toBe(404);
    await staveJson(folder.path, ['playlists', 'grant', slug, '--client', clientId]);
    await until(async () => (await total('/v1/playlists')) === 1, 'the grant');
    const tracks = `/v1/playlists/${slug}/tracks`;
    await until(async () => (await service.get(tracks, token)).status === 200, 'its tracks');
    const page = await service.get(tracks, token);
    expect(page.body.data.items.map((one: { slug: string }) => one.slug)).toEqual([
      'track-3',
      'track-1',
    ]);
    await staveJson(folder.path, ['playlists', 'revoke', slug, '--client', clientId]);
    await until(async () => (await total('/v1/playlists')) === 0, 'the end of the grant');
  });

  it('follows what becomes of a client and its secrets', async () => {
    const { clientId, liveSecret, testSecret } = await newClient();
    await until(
      () =>
        service.token(clientId, liveSecret).then(
          () => true,
          () => false,
        ),
      'the client',
    );
    const live = await service.token(clientId, liveSecret);
    const test = await service.token(clientId, testSecret);
    const status = async (path: string, token: string) => (await service.get(path, token)).status;

    const shown = await staveJson(folder.path, ['clients', 'show', clientId]);
    const secret = shown.secrets.find((one: { mode: string }) => one.mode === 'live');
    await staveJson(folder.path, ['clients', 'revoke-secret', clientId, secret.secretId]);
    await until(async () => (await status('/v1/tracks', live)) === 401, 'the revoked secret');
    expect(await status('/v1/tracks', test)).toBe(200);

    await staveJson(folder.path, ['clients', 'update', clientId, '--scopes', 'search']);
    await until(async () => (await status('/v1/tracks', test)) === 403, 'the narrowed scopes');

    await staveJson(folder.path, ['clients', 'disable', clientId]);
    await until(async () => (await status('/v1/me', test)) === 401, 'the disabled client');
  });

  it('logs nobody out when keys are rotated', async () => {
    const { clientId, liveSecret } = await newClient();
    await until(
      () =>
        service.token(clientId, liveSecret).then(
          () => true,
          () => false,
        ),
      'the client',
    );
    const before = await service.token(clientId, liveSecret);
    await staveJson(folder.path, ['keys', 'rotate']);
    const keyOf = (token: string) => Buffer.from(token.split('.')[0]!, 'base64url').toString();
    await until(
      async () => keyOf(await service.token(clientId, liveSecret)) !== keyOf(before),
      'the new key',
    );
    expect((await service.get('/v1/me', before)).status).toBe(200);
  });

  it('logs no secret and no token', async () => {
    const { clientId, liveSecret, testSecret } = await newClient();
    await until(
      () =>
        service.token(clientId, liveSecret).then(
          () => true,
          () => false,
        ),
      'the client',
    );
    const token = await service.token(clientId, liveSecret);
    await service.get('/v1/tracks', token);
    await service.get('/v1/tracks', `${token}x`);
    const path = `/v1/tracks?search=${encodeURIComponent(testSecret)}`;
    await service.get(path, token);
    await service.token(clientId, `${liveSecret}x`).catch(() => {});
    const output = service.output();
    for (const secret of [liveSecret, testSecret, token, token.split('.')[2]!]) {
      expect(output).not.toContain(secret);
    }
    for (const line of output.trimEnd().split('\n')) {
      expect(() => JSON.parse(line), line).not.toThrow();
    }
  });
});

/** Somebody who asks for a long track and reads no more than its beginning. */
async function slowReader(folder: TemporaryFolder, service: Serving): Promise<Disposable> {
  writeFileSync(folder.at('long.wav'), wav(8_000_000));
  const record = { externalId: '1', name: 'Long', type: 'sfx', audio: 'long.wav' };
  writeFileSync(folder.at('tracks.ndjson'), `${JSON.stringify(record)}\n`);
  const data = folder.at('data');
  await staveJson(data, ['import', folder.at('tracks.ndjson')]);
  const client = await staveJson(data, ['clients', 'create', '-n', 'A', '-s', 'tracks']);
  const { clientId, liveSecret } = client;
  let token = '';
  await until(async () => {
    token = await service.token(clientId, liveSecret).catch(() => '');
    return token !== '';
  }, 'the client');
  let streamUrl = '';
  await until(async () => {
    streamUrl = (await service.get('/v1/tracks/long', token)).body.data.streamUrl ?? '';
    return streamUrl !== '';
  }, 'the track');
  const { pathname, search, hostname, port } = new URL(streamUrl);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  return { [Symbol.dispose]: () => socket.destroy() };
}

describe('stave serve', () => {
  it('greets a person on stdout', async () => {
    using data = temporaryFolder();
    const child = start(data.path, ['serve'], { env: { STAVE_LOG_LEVEL: 'silent' } });
    let stdout = '';
    child.stdout!.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until(() => /http:\/\/127\.0\.0\.1:\d+/.test(stdout), 'the greeting', 30_000);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 at %s', async (signal) => {
    using data = temporaryFolder();
    await using own = await serve(data.path);
    expect(await own.stop(signal)).toBe(0);
    await expect(fetch(`${own.url}/version`)).rejects.toThrow();
  });

  it('ends with 0 in ten seconds though a reader is slow', async () => {
    using data = temporaryFolder();
    await using own = await serve(data.at('data'));
    using _reader = await slowReader(data, own);
    // Past ten seconds it would end itself with 1.
    expect(await own.stop()).toBe(0);
  });

  it('ends at once, with 1, at a second signal', async () => {
    using data = temporaryFolder();
    await using own = await serve(data.at('data'));
    using _reader = await slowReader(data, own);
    const ended = own.stop('SIGINT');
    await until(() => own.output().includes('stopping'), 'the stop to begin');
    own.child.kill('SIGINT');
    expect(await ended).toBe(1);
  });

  it('tells in one line that the port is in use', async () => {
    using data = temporaryFolder();
    const port = new URL(service.url).port;
    const ran = await staveProcess(data.path, ['serve'], {
      env: { PORT: port, STAVE_LOG_LEVEL: 'silent' },
    });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]*EADDRINUSE[^\n]*PORT[^\n]*\n$/);
  });

  it('tells in one line that the host is not its own', async () => {
    using data = temporaryFolder();
    const ran = await staveProcess(data.path, ['serve'], {
      env: { HOST: '192.0.2.1', STAVE_LOG_LEVEL: 'silent' },
    });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^stave: [^\n]*HOST[^\n]*\n$/);
  });

  it.each([
    ['missing', undefined],
    ['not PEM', 'this is no certificate'],
  ])('tells in one line that its certificate is %s', async (_, text) => {
    using data = temporaryFolder();
    if (text !== undefined) {
      writeFileSync(data.at('cert.pem'), text);
    }
    const ran = await staveProcess(data.at('data'), ['serve'], {
      env: {
        STAVE_TLS_CERT: data.at('cert.pem'),
        STAVE_TLS_KEY: data.at('cert.pem'),
        STAVE_LOG_LEVEL: 'silent',
      },
    });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]*STAVE_TLS_CERT[^\n]*\n$/);
  });
});

describe('stave serve with a certificate (needs openssl)', () => {
  it('gives https addresses, in its greeting and in the URLs it hands out', async (context) => {
    using folder = temporaryFolder();
    const [key, cert] = [folder.at('key.pem'), folder.at('cert.pem')];
    try {
      const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
      const files = ['-keyout', key, '-out', cert, '-subj', '/CN=localhost'];
      execFileSync('openssl', ['req', '-x509', ...options, ...files], { stdio: 'ignore' });
    } catch {
      context.skip();
    }
    const data = folder.at('data');
    writeFileSync(folder.at('tracks.ndjson'), someTracks(1));
    await staveJson(data, ['import', folder.at('tracks.ndjson')]);
    const scopes = 'tracks';
    const client = await staveJson(data, ['clients', 'create', '-n', 'Acme', '-s', scopes]);
    await using service = await serve(data, { STAVE_TLS_CERT: cert, STAVE_TLS_KEY: key });
    expect(service.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);

    const ask = (path: string, options: RequestOptions, body = '') =>
      new Promise<Json>((resolve, reject) => {
        request(service.url + path, { ...options, rejectUnauthorized: false }, (response) => {
          text(response).then((answer) => resolve(JSON.parse(answer)), reject);
        })
          .on('error', reject)
          .end(body);
      });
    const credentials = { client_id: client.clientId, client_secret: client.testSecret };
    const { data: token } = await ask(
      '/v1/auth/token',
      { method: 'POST', headers: { 'content-type': 'application/json' } },
      JSON.stringify({ grant_type: 'client_credentials', ...credentials }),
    );
    const authorization = `Bearer ${token.access_token}`;
    const { data: page } = await ask('/v1/tracks', { headers: { authorization } });
    expect(page.items[0].streamUrl.startsWith(`${service.url}/`)).toBe(true);
  });
});

describe('stave doctor', () => {
  let other: Server;
  beforeAll(async () => {
    other = createServer((socket) => socket.end('hello\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => other.close());

  it('knows a healthy Stave on the port from another program', async () => {
    const port = async (number: string | number) => {
      const ran = await stave(folder.path, ['doctor', '--json'], { env: { PORT: String(number) } });
      return ran.json.findings.find((one: { check: string }) => one.check === 'port');
    };
    expect(await port(new URL(service.url).port)).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^Stave \d+\.\d+\.\d+ serves on .* and is healthy$/),
    });
    expect(await port((other.address() as { port: number }).port)).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('another program'),
    });
  });
});
