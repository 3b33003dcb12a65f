import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { cardText } from '../harness/rate-cards.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { until } from '../harness/until.ts';
import { type ConsoleClient, endOf, serveConsole } from './console-client.ts';

const HOSTILE = '<script>alert("1")</script>';
const TRACKS = ['Night Drive', 'Low Tide', 'Neon Rain', HOSTILE]
  .map((name, i) =>
    JSON.stringify({
      externalId: `t${i}`,
      name,
      type: 'music',
      durationSeconds: 60,
      releaseDate: '2024-01-01',
      filters: ['genre:Ambient'],
    }),
  )
  .join('\n');

const folder = temporaryFolder();
let running: Awaited<ReturnType<typeof serveConsole>>;
let client: ConsoleClient;

beforeAll(async () => {
  const file = folder.at('tracks.ndjson');
  await writeFile(file, TRACKS);
  const ran = await stave(folder.at('data'), ['import', file, '--source', 'label-a']);
  if (ran.code !== 0) throw new Error(ran.stderr);
  running = await serveConsole({ ...folder, path: folder.at('data') });
  client = running.client;
  await client.login();
});
afterAll(async () => {
  await running[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** What does not depend on the store, or is only for the embedded one. */
const once = it.skipIf(ON_POSTGRES);
const run = (...args: string[]) => staveJson(folder.at('data'), args);
const text = (page: string) => page.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

/** The uploads that a job or a form reads. The files of rejections stay as long as their jobs are shown. */
async function uploads(): Promise<string[]> {
  const names = await readdir(folder.at('data', 'uploads'));
  return names.filter((name) => !name.endsWith('.csv'));
}

/** Sends a form with files. Returns the page of the job, once it has ended. */
async function upload(fields: Record<string, string>, file: [name: string, content: string]) {
  const sent = await client.upload('/imports/new', [
    ...Object.entries(fields),
    ['file', file[1], file[0]],
  ]);
  return endOf(client, sent.headers.get('location')!);
}

describe('clients', () => {
  it('are created with secrets that are shown once, and changed as the commands do', async () => {
    const created = await client.submit('/clients/new', [
      ['name', HOSTILE],
      ['scopes', 'tracks'],
      ['scopes', 'search'],
      ['features', 'changes'],
      ['rateLimit', '90'],
    ]);
    const secret = /stave_live_\w+/.exec(created.text)![0];
    expect(created.text).not.toContain(HOSTILE);
    const [made] = await run('clients', 'list');
    expect(made).toMatchObject({
      name: HOSTILE,
      scopes: ['tracks', 'search', 'changes'],
      features: ['changes'],
      rateLimit: 90,
    });
    const to = `/clients/${made.clientId}`;
    expect((await client.get(to)).text).not.toContain(secret);
    expect((await running.service.token(made.clientId, secret)).length).toBeGreaterThan(20);

    await client.submit(to, [
      ['name', 'Acme'],
      ['scopes', 'tracks'],
      ['rateLimit', ''],
    ]);
    expect(await run('clients', 'show', made.clientId)).toMatchObject({
      ...{ name: 'Acme', scopes: ['tracks'], features: [], rateLimit: null },
    });
    await client.submit(`${to}/disable`);
    expect(await run('clients', 'show', made.clientId)).toMatchObject({ enabled: false });
    await client.submit(`${to}/enable`);
    expect((await client.submit(`${to}/secrets`, { mode: 'live' })).text).toMatch(/stave_live_\w+/);
    const { secrets } = await run('clients', 'show', made.clientId);
    await client.submit(`${to}/secrets/${secrets[0].secretId}/revoke`);
    const after = await run('clients', 'show', made.clientId);
    expect(after.secrets[0].revokedAt).not.toBeNull();
    const changes = await run('log', '--actor', 'console:console', '--client', made.clientId);
    expect(changes.map(({ kind }: { kind: string }) => kind)).toEqual([
      'secret_revoked',
      'secret_added',
      'enabled',
      'disabled',
      'updated',
      'created',
    ]);
    expect(running.service.output()).not.toContain(secret);
  });

  it('are not created from bad input, and the page says why', async () => {
    const before = await run('clients', 'list');
    const page = await client.post('/clients/new', { name: '' });
    expect(page.status).toBe(400);
    expect(text(page.text)).toContain('scopes: must name at least one of');
    expect(await run('clients', 'list')).toHaveLength(before.length);
    expect((await client.get('/clients/unknown')).status).toBe(404);
  });

  once('are told why they get 429', async () => {
    const made = await run('clients', 'create', '--name', 'Busy', '-s', 'tracks', '-r', '2');
    const token = await running.service.token(made.clientId, made.liveSecret);
    for (let i = 0; i < 5; i++) await running.service.get('/v1/tracks', token);
    await until(async () => {
      const page = text((await client.get(`/clients/${made.clientId}`)).text);
      return page.includes('3 of 5 requests were refused') && page.includes('in bursts');
    }, 'the counts of requests');
  });
});

describe('tracks', () => {
  it('are taken down with a reason, and restored', async () => {
    const { id } = await run('tracks', 'show', 'night-drive');
    expect(text((await client.get('/tracks?q=night')).text)).toContain('Night Drive');
    await client.submit(`/tracks/${id}/takedown`, { reason: 'claim', reference: '2026-118' });
    expect(await run('tracks', 'show', 'night-drive')).toMatchObject({ state: 'taken_down' });
    const [change] = await run('log', '--track', 'night-drive');
    expect(change).toMatchObject({
      ...{ kind: 'taken_down', by: 'console:console', reason: 'claim', reference: '2026-118' },
    });
    const page = text((await client.get(`/tracks/${id}`)).text);
    expect(page).toContain('taken down');
    expect(page).toContain('2026-118');
    await client.submit(`/tracks/${id}/restore`);
    expect(await run('tracks', 'show', 'night-drive')).toMatchObject({ state: 'live' });
  });

  it('with hostile names are escaped everywhere', async () => {
    const [hostile] = (await run('tracks', 'find', 'alert')).tracks;
    expect(hostile.name).toBe(HOSTILE);
    for (const path of [
      '/tracks?q=alert',
      `/tracks/${hostile.id}`,
      `/tracks?q=${encodeURIComponent(`"><img src=x>${HOSTILE}`)}`,
    ]) {
      const page = await client.get(path);
      expect(page.status).toBe(200);
      expect(page.text).not.toMatch(/<script>|<img/);
    }
    const page = await client.submit(`/tracks/${hostile.id}/takedown`, { reason: HOSTILE });
    expect(page.text).not.toContain(HOSTILE);
    await client.submit(`/tracks/${hostile.id}/restore`);
  });
});

describe('playlists', () => {
  it('are created, ordered, granted and deleted', async () => {
    const made = await run('clients', 'create', '--name', 'Listener', '-s', 'playlists');
    const created = await client.submit('/playlists', { name: 'Night' });
    expect(created.text).toContain('Add its tracks here.');
    const slugs = 'night-drive low-tide\nneon-rain';
    await client.submit('/playlists/night/add', { slugs });
    const shown = await run('playlists', 'show', 'night');
    const to = `/playlists/${shown.id}`;
    await client.submit(`${to}/move`, { track: shown.tracks[2].id, position: '1' });
    await client.submit(`${to}/remove`, { track: shown.tracks[1].id });
    await client.submit(`${to}/grant`, { client: made.clientId });
    const after = await run('playlists', 'show', 'night');
    expect(after.tracks.map(({ slug }: { slug: string }) => slug)).toEqual([
      'neon-rain',
      'night-drive',
    ]);
    expect(after.clients).toEqual([made.clientId]);
    await client.submit(`${to}/revoke`, { client: made.clientId });
    await client.submit(`${to}/update`, { name: 'Nights', description: 'Calm' });
    expect(await run('playlists', 'show', 'night')).toMatchObject({
      ...{ name: 'Nights', description: 'Calm', clients: [] },
    });
    await client.submit(`${to}/delete`);
    expect(await run('playlists', 'list')).toEqual([]);
  });
});

describe('imports', () => {
  const NEW = `${TRACKS.split('\n')[0]!.replace('"t0"', '"n1"')}\n{"externalId":"bad"}\n`;

  it('of an upload show a preview, a dry run, rejections and an undo', async () => {
    const fields = { source: 'label-b' };
    expect(await upload({ ...fields, what: 'explain' }, ['new.ndjson', NEW])).toContain(
      'All 2 records were read.',
    );
    const dry = await upload({ ...fields, what: 'check' }, ['new.ndjson', NEW]);
    expect(dry).toContain('What the import would do Read 2 Created 1');
    expect((await run('tracks', 'find', 'night')).tracks).toHaveLength(1);

    const done = await upload({ ...fields, what: 'import' }, ['new.ndjson', NEW]);
    expect(done).toContain('What the import did Read 2 Created 1');
    expect(done).toContain('Rejections (1)');
    expect(done).toMatch(/new\.ndjson 2 name/);
    const [batch] = await run('import', 'list');
    expect(batch).toMatchObject({ by: 'console:console', created: 1 });
    const undo = await client.post('/imports/undo', { batch: batch.id });
    expect(await endOf(client, undo.headers.get('location')!)).toContain(
      'What the undo did Withdrawn 1',
    );
    await until(async () => (await uploads()).length === 0, 'the uploads to be removed');
  });

  once('show whole reasons, those of one kind, and a file of all of them', async () => {
    const unnamed = Array.from({ length: 1_096 }, (_, i) => `{"externalId":"u${i}"}\n`);
    const last = { externalId: 'i', name: 'Isrc', type: 'music', isrc: 'XX' };
    const sent = await client.upload('/imports/new', [
      ...[['source', 'label-c'] as const, ['what', 'check'] as const],
      ['file', `${TRACKS}\n${unnamed.join('')}${JSON.stringify(last)}`, 'faulty; "list".ndjson'],
    ]);
    const job = sent.headers.get('location')!;
    expect(await endOf(client, job)).toContain('Rejections (1,097)');
    const first = (await client.get(job)).text;
    expect(first.match(/<td class="number">/g)).toHaveLength(50);
    expect(first).toContain(`href="${job}?page=2"`);
    const kinds = [...first.matchAll(/<option value="([^"]+)"/g)].map(([, kind]) => kind);
    expect(kinds).toHaveLength(2);
    // The last one is beyond the first thousand.
    const query = new URLSearchParams({ reason: kinds.find((kind) => kind!.startsWith('isrc'))! });
    const { text: filtered } = await client.get(`${job}?${query}`);
    expect(filtered).toMatch(/<td class="number">1101<\/td>/);
    expect(filtered).toContain('it is &quot;XX&quot;');
    expect(filtered).not.toContain('These are the first');
    query.set('reason', kinds.find((kind) => !kind!.startsWith('isrc'))!);
    expect(text((await client.get(`${job}?${query}`)).text)).toContain(
      'These are the first 1,000 of 1,096. The file of the download has all.',
    );

    const { status, headers, text: csv } = await client.get(`${job}/rejections.csv`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="rejections_of_f/);
    // fetch removes the byte order mark.
    const rows = csv.trimEnd().split('\r\n');
    expect(rows[0]).toBe('File,Line,Field,Reason');
    expect(rows).toHaveLength(1_098);
    expect(rows[1_097]).toMatch(/ndjson,1101,isrc,".*it is ""XX""/);
    const [file] = await readdir(folder.at('data', 'uploads'));
    const bytes = await readFile(folder.at('data', 'uploads', file!));
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const none = await client.get(job.replace(/[^/]+$/, 'x/rejections.csv'));
    expect(none.status).toBe(404);
  });

  once('of a path work, and faults are told', async () => {
    const page = await upload({ path: folder.at('tracks.ndjson'), what: 'check' }, ['', '']);
    expect(page).toContain('Read 4');
    const broken = folder.at('broken.ndjson');
    await writeFile(broken, '{');
    expect(await upload({ path: broken, what: 'import' }, ['', ''])).toMatch(/Failed|Rejections/);
  });
});

describe('the rest', () => {
  once('replaces keys, makes a backup and runs the doctor', async () => {
    const before = await run('keys', 'list');
    expect(text((await client.submit('/keys/rotate')).text)).toContain('New keys sign tokens');
    expect((await run('keys', 'list')).length).toBe(before.length + 2);

    const target = folder.at('backup');
    const backup = await client.post('/backups', { folder: target });
    expect(await endOf(client, backup.headers.get('location')!)).toContain('What was copied');
    const listed = async () => text((await client.get('/backups')).text);
    expect(await listed()).toContain(`Backups in ${target} 1 backup.`);
    await rename(target, folder.at('moved'));
    expect(await listed()).toContain(`They cannot be listed: ${target} has no backups: name a`);
    await rename(folder.at('moved'), target);
    const doctor = await client.post('/doctor');
    expect(await endOf(client, doctor.headers.get('location')!)).toMatch(/database ok/);
    expect(text((await client.get('/')).text)).toContain('Media');
  });

  it('publishes and withdraws a rate card, and refuses one that is wrong', async () => {
    const publish = async (document: string) => {
      const sent = await client.upload('/rate-cards', [
        ['what', 'publish'],
        ['allowMissing', 'yes'],
        ['file', document, 'card.json'],
      ]);
      const to = sent.headers.get('location');
      return to === null ? sent : client.get(to);
    };
    expect((await publish('{}')).status).toBe(400);
    const large = await publish(JSON.stringify({ name: 'x'.repeat(1_100_000) }));
    expect(large.status).toBe(413);
    expect(text(large.text)).toContain('The file has over 1.0 MB.');
    expect(await uploads()).toEqual([]);
    expect(text((await publish(cardText())).text)).toContain('is published');
    const [card] = await run('rate-cards', 'list');
    expect(card).toMatchObject({ by: 'console:console', inForce: true });
    await client.submit(`/rate-cards/${card.name}/${card.version}/withdraw`);
    expect((await run('rate-cards', 'list'))[0].withdrawnAt).not.toBeNull();
  });
});
