import { writeFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeCertificate } from '../harness/certificate.ts';
import {
  type Json,
  type Serving,
  serve,
  someTracks,
  start,
  staveJson,
  staveProcess,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { until } from '../harness/until.ts';
import { wav } from '../harness/wav.ts';

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

/** Requests a long track, and reads only its beginning. */
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
  it('prints a greeting on stdout', async () => {
    using data = temporaryFolder();
    const child = start(data.path, ['serve'], { env: { STAVE_LOG_LEVEL: 'silent' } });
    let stdout = '';
    child.stdout!.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until(() => /http:\/\/127\.0\.0\.1:\d+/.test(stdout), 'the greeting');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 at %s', async (signal) => {
    using data = temporaryFolder();
    await using own = await serve(data.path);
    expect(await own.stop(signal)).toBe(0);
    await expect(fetch(`${own.url}/version`)).rejects.toThrow();
  });

  it('exits with 0 within ten seconds in spite of a slow reader', async () => {
    using data = temporaryFolder();
    await using own = await serve(data.at('data'));
    using _reader = await slowReader(data, own);
    // After ten seconds it would exit with 1.
    expect(await own.stop()).toBe(0);
  });

  it('exits at once with 1 after a second signal', async () => {
    using data = temporaryFolder();
    await using own = await serve(data.at('data'));
    using _reader = await slowReader(data, own);
    const ended = own.stop('SIGINT');
    await until(() => own.output().includes('stopping'), 'the stop to begin');
    own.child.kill('SIGINT');
    expect(await ended).toBe(1);
  });

  it('reports in one line that the port is in use', async () => {
    using data = temporaryFolder();
    const port = new URL(service.url).port;
    const ran = await staveProcess(data.path, ['serve'], {
      env: { PORT: port, STAVE_LOG_LEVEL: 'silent' },
    });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]*EADDRINUSE[^\n]*PORT[^\n]*\n$/);
  });

  it('reports in one line that the machine does not have the address', async () => {
    using data = temporaryFolder();
    const ran = await staveProcess(data.path, ['serve'], {
      env: { HOST: '192.0.2.1', STAVE_LOG_LEVEL: 'silent' },
    });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^stave: [^\n]*HOST[^\n]*\n$/);
  });

  it.each([
    ['missing', undefined],
    ['not PEM', 'this is not a certificate'],
    ['empty', ''],
  ])('reports in one line that its certificate is %s', async (_, text) => {
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
  it('has https addresses in its greeting and in its URLs', async (context) => {
    using folder = temporaryFolder();
    const certificate = writeCertificate(folder.path);
    if (certificate === undefined) return context.skip();
    const { cert, key } = certificate;
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
          text(response).then((body) => resolve(JSON.parse(body)), reject);
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
