import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Json,
  type Serving,
  serve,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { until } from '../harness/until.ts';

const LIMIT = 20;
const REFUSED = 5;

let folder: TemporaryFolder;
let service: Serving;
let client: Json;
let secrets: Json[];
beforeAll(async () => {
  folder = temporaryFolder();
  const create = ['clients', 'create', '-s', 'tracks'];
  client = await staveJson(folder.path, [...create, '-n', 'Acme', '--rate-limit', `${LIMIT}`]);
  await staveJson(folder.path, [...create, '-n', 'Quiet']);
  service = await serve(folder.path, {}, ['--workers', '2']);
  const token = await service.token(client.clientId, client.liveSecret);
  for (let i = 0; i < LIMIT + REFUSED; i++) await service.get('/v1/me', token);
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  folder?.[Symbol.dispose]();
});

const list = () => staveJson(folder.path, ['clients', 'list']);
const counted = (requests: number, rateLimited: number) => ({ requests, rateLimited });

describe('stave clients list', () => {
  it('has the requests of all workers within seconds, by client and secret', async () => {
    const all = counted(LIMIT + REFUSED, REFUSED);
    await until(async () => (await list())[0].lastDay.requests === all.requests, 'the counts');
    const [acme, quiet] = await list();
    expect(acme).toMatchObject({ name: 'Acme', lastHour: all, lastDay: all });
    expect(Date.now() - Date.parse(acme.lastUsedAt)).toBeLessThan(120_000);
    secrets = acme.secrets;
    expect(secrets).toMatchObject([
      { mode: 'test', lastUsedAt: null, lastHour: counted(0, 0), lastDay: counted(0, 0) },
      { mode: 'live', lastUsedAt: acme.lastUsedAt, lastHour: all, lastDay: all },
    ]);
    expect(quiet).toMatchObject({ lastUsedAt: null, lastHour: counted(0, 0) });
  });

  it('is readable', async () => {
    const { stdout } = await stave(folder.path, ['clients', 'list']);
    const [heading, acme, quiet] = stdout.split('\n');
    expect(heading).toMatch(/LIMIT +HOUR +429 +DAY +429 +LAST USED +SCOPES/);
    expect(acme).toMatch(/Acme +enabled +20 +25 +5 +25 +5 +20\d\d-/);
    expect(quiet).toMatch(/Quiet +enabled +default +0 +0 +0 +0 +never/);
  });
});

describe('stave clients show', () => {
  it('has the last use of each secret, also of one that only got a token', async () => {
    await service.token(client.clientId, client.testSecret);
    const show = () => staveJson(folder.path, ['clients', 'show', client.clientId]);
    await until(async () => (await show()).secrets[0].lastUsedAt !== null, 'the use of the secret');
    const { stdout } = await stave(folder.path, ['clients', 'show', client.clientId]);
    expect(stdout).toMatch(/^last hour +25, of them 5 over the rate limit$/m);
    expect(stdout).toMatch(/ test .* valid +0 +0 +0 +0 +20\d\d-/);
    expect(stdout).toMatch(/ live .* valid +25 +5 +25 +5 +20\d\d-/);
  });
});

describe('a stop of the service', () => {
  it('writes what was counted', async () => {
    const token = await service.token(client.clientId, client.liveSecret);
    await service.get('/v1/me', token);
    await service.stop();
    expect((await list())[0].lastDay.requests).toBe(LIMIT + REFUSED + 1);
  });

  it('by force loses only the last seconds, and no client', async () => {
    await using other = await serve(folder.path);
    const token = await other.token(client.clientId, client.liveSecret);
    await other.get('/v1/me', token);
    await until(
      async () => (await list())[0].lastDay.requests === LIMIT + REFUSED + 2,
      'the count',
    );
    await other.stop('SIGKILL');
    expect((await list())[0].lastDay.requests).toBe(LIMIT + REFUSED + 2);
  });
});
