import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDataFolder } from '../../src/app/open/data-folder-lock.ts';
import { systemClock } from '../../src/common/clock.ts';
import { holderOf } from '../../src/engines/sql/sqlite/folder-lock.ts';
import {
  type Json,
  openStoreOf,
  type Ran,
  serve,
  someTracks,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { databaseOf } from '../harness/data-databases.ts';
import { freePort } from '../harness/free-port.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { openLink } from '../harness/tcp-link.ts';
import { until } from '../harness/until.ts';
import { wav } from '../harness/wav.ts';

let folder: TemporaryFolder;
let data: string;
beforeEach(() => {
  folder = temporaryFolder();
  data = folder.at('data');
});
afterEach(() => folder[Symbol.dispose]());

const doctor = (env: Record<string, string> = {}, place = data): Promise<Ran> =>
  stave(place, ['doctor', '--json'], { env });
const finding = (ran: Ran, check: string) =>
  ran.json.findings.find((one: { check: string }) => one.check === check);

describe('stave doctor, about the service', () => {
  it('names the nodes that use the store, until they stop', async () => {
    await staveJson(data, ['clients', 'list']);
    expect(finding(await doctor(), 'service')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^none runs on /),
    });
    const port = String(await freePort());
    await using service = await serve(data, { PORT: port }, ['--workers', '2']);
    let used: Json;
    await until(async () => {
      used = finding(await doctor({ PORT: port }), 'service');
      return used.status === 'ok';
    }, 'the sign of the node');
    expect(used.detail).toMatch(new RegExp(`^1 node uses .*\\(${service.child.pid}, `));
    expect(holderOf(data)).toMatchObject({ command: 'stave serve', pid: service.child.pid });
    await service.stop();
    expect(holderOf(data)).toBeUndefined();
    expect(finding(await doctor(), 'service').detail).toMatch(/^none runs on /);
  });

  it.skipIf(!ON_POSTGRES)(
    'warns if the service of the data folder uses PostgreSQL and the settings do not',
    async () => {
      await using _ = await serve(data);
      const env = { STAVE_DATABASE_URL: '' };
      for (const made of [false, true]) {
        if (made) await stave(data, ['clients', 'list'], { env });
        const found = finding(await doctor(env), 'service');
        expect(found).toMatchObject({
          status: 'warning',
          advice: expect.stringContaining('sudo stave'),
        });
        expect(found.detail).toMatch(
          /the service of this data folder \(process \d+ on .*\) uses .*, and these settings name /,
        );
        expect(found.detail).not.toMatch(/postgres:\/\/[^ ]*:[^ ]*@/);
      }
    },
  );

  it('warns if who answers at the port does not use this store', async () => {
    const port = String(await freePort());
    await using _ = await serve(folder.at('other'), { PORT: port });
    await staveJson(data, ['clients', 'list']);
    expect(finding(await doctor({ PORT: port }), 'service')).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(
        /^a service answers at the port, and no node shows that it uses /,
      ),
    });
  });

  it('warns of a node of this machine with another data folder', async () => {
    const store = await openStoreOf(data);
    const self = { host: hostname(), pid: process.pid };
    const node = { ...self, node: 'n', version: '1', dataFolder: '/srv/stave' };
    await store.nodes.seen(node, Date.now());
    using _lock = await lockDataFolder(data, systemClock, { command: 'stave serve' });
    const found = finding(await doctor(), 'service');
    await store.close();
    expect(found).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('with the data folder /srv/stave'),
    });
  });

  it('ignores what a killed service has left, and files that are no lock', async () => {
    await staveJson(data, ['clients', 'list']);
    const elsewhere = { command: 'stave serve', place: 'elsewhere' };
    {
      using _lock = await lockDataFolder(data, systemClock, elsewhere);
      expect(finding(await doctor(), 'service').detail).toMatch(/ uses elsewhere, and these /);
    }
    expect(finding(await doctor(), 'service').status).toBe('ok');
    {
      const service = await serve(data);
      const sign = ` (${service.child.pid}, `;
      const uses = async () => finding(await doctor(), 'service').detail.includes(sign);
      await until(uses, 'the sign of the node');
      await service.stop('SIGKILL');
      // With PostgreSQL, a node of another machine may run, so a minute has to pass.
      expect(await uses()).toBe(ON_POSTGRES);
      const { detail } = finding(await doctor(), 'clock skew');
      expect(detail.includes(`(${service.child.pid})`)).toBe(ON_POSTGRES);
    }
    {
      using _lock = await lockDataFolder(data, systemClock, { command: 'stave restore' });
      expect(finding(await doctor(), 'service').status).toBe('ok');
    }
    writeFileSync(folder.at('data', 'lock.db'), '{');
    expect(finding(await doctor(), 'service').status).toBe('ok');
  });
});

describe('stave doctor, about the port', () => {
  it('tells the service of the data folder from another program, if it does not answer', async () => {
    const silent = createServer((socket) => socket.destroy()).listen(await freePort());
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const env = { PORT: String(port) };
    const { detail } = finding(await doctor(env), 'port');
    expect(detail).toBe(`127.0.0.1:${port} is taken by another program`);
    const self = { command: 'stave serve', address: `127.0.0.1:${port}` };
    using _lock = await lockDataFolder(data, systemClock, self);
    expect(finding(await doctor(env), 'port')).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(
        /^the service of this data folder \(process \d+\) has 127\.0\.0\.1:\d+, and does not answer over HTTP$/,
      ),
      advice: expect.stringContaining('sudo stave'),
    });
    silent.close();
  });

  it.skipIf(!ON_POSTGRES)(
    'says why a service is not ready while its database is away',
    async () => {
      const url = new URL(databaseOf(data));
      await using link = await openLink(Number(url.port));
      url.port = String(link.port);
      const env = {
        PORT: String(await freePort()),
        STAVE_DATABASE_URL: url.href,
        STAVE_STALE_LIMIT: '1',
      };
      await using _service = await serve(data, env);
      link.leadTo(1);
      let ran: Ran;
      await until(async () => {
        ran = await doctor(env);
        return /not ready: This node has not reached its database/.test(
          finding(ran, 'port').detail,
        );
      }, 'a stale node');
      expect(finding(ran!, 'database')).toMatchObject({
        status: 'failed',
        detail: expect.stringContaining('cannot be reached'),
        advice: 'correct this first; the other checks of the database need it',
      });
    },
  );
});

describe('stave doctor, about clocks, audio and the disk', () => {
  it('shows the clocks of the nodes against that of the database, and warns above two seconds', async () => {
    const store = await openStoreOf(data);
    // With SQLite, the process that has the lock is the only node.
    using _lock = await lockDataFolder(data, systemClock, { command: 'stave serve' });
    const { pid } = process;
    const node = { node: 'a', host: hostname(), pid, version: '1', dataFolder: data };
    await store.nodes.seen(node, Date.now() + 500);
    const fine = finding(await doctor(), 'clock skew');
    expect(fine.status).toBe('ok');
    expect(fine.detail).toMatch(/this machine [+-]0\.\d s, .* \(\d+\) \+0\.[456] s$/);
    await store.nodes.seen(node, Date.now() - 90_000);
    const skewed = finding(await doctor(), 'clock skew');
    await store.close();
    expect(skewed).toMatchObject({ status: 'warning', advice: expect.stringContaining('NTP') });
    expect(skewed.detail).toMatch(/: [^,]* \(\d+\) -(?:90\.[01]|89\.9) s$/);
  });

  it('says that no track has audio', async () => {
    await staveJson(data, ['clients', 'list']);
    expect(finding(await doctor(), 'audio')).toMatchObject({
      status: 'ok',
      detail: 'no tracks yet',
    });
    writeFileSync(folder.at('tracks.ndjson'), someTracks(2));
    await staveJson(data, ['import', folder.at('tracks.ndjson')]);
    const none = await doctor();
    expect(none.code).toBe(0);
    expect(finding(none, 'audio')).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(/^no track has audio/),
    });
    writeFileSync(folder.at('tone.wav'), wav(800));
    const tone = { externalId: 'tone', name: 'Tone', type: 'sfx', audio: 'tone.wav' };
    writeFileSync(folder.at('tone.ndjson'), `${JSON.stringify(tone)}\n`);
    await staveJson(data, ['import', folder.at('tone.ndjson')]);
    expect(finding(await doctor(), 'audio').status).toBe('ok');
  });

  it('adds up the disk by part', async () => {
    expect(finding(await doctor(), 'disk use').detail).toMatch(
      ON_POSTGRES ? /^database .* \(on its server\)$/ : /^nothing yet$/,
    );
    await staveJson(data, ['clients', 'list']);
    mkdirSync(folder.at('data', 'media', 'ab'), { recursive: true });
    mkdirSync(folder.at('data', 'monday', 'media'), { recursive: true });
    mkdirSync(folder.at('data', 'monday', 'backups'));
    for (const [name, size] of [
      ['media/ab/one.mp3', 3_000],
      ['monday/backups/one.json', 1],
      ['monday/media/one.mp3', 1_999],
      ['search-index.snapshot', 40_000],
      ['notes.txt', 500],
    ] as const) {
      writeFileSync(folder.at('data', name), Buffer.alloc(size));
    }
    const { status, detail, bytes } = finding(await doctor(), 'disk use');
    expect([status, bytes]).toEqual([
      'ok',
      expect.objectContaining({
        media: 3_000,
        backups: 2_000,
        other: 500,
        'index and documents': 40_000,
        previews: 0,
      }),
    ]);
    expect(detail).toContain(
      'media 3.0 KB, index and documents 40 KB, backups 2.0 KB, other 500 B',
    );
    if (!ON_POSTGRES) expect(bytes.database).toBeGreaterThan(10_000);
  });
});
