import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Serving,
  serve,
  someTracks,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { until } from '../harness/until.ts';

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

let clients = 0;
const newClient = (...args: string[]) =>
  staveJson(folder.path, [
    'clients',
    'create',
    '--name',
    `Acme ${++clients}`,
    '--scopes',
    'tracks,search,filters,playlists',
    ...args,
  ]);

describe('a running service', () => {
  it('applies the changes of commands', async () => {
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

  it('applies changes of a client and its secrets', async () => {
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

  it('accepts issued tokens after a rotation of keys', async () => {
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

describe('stave doctor', () => {
  let other: Server;
  beforeAll(async () => {
    other = createServer((socket) => socket.end('hello\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => other.close());

  it('distinguishes a healthy Stave on the port from another program', async () => {
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
