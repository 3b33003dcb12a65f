import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { newId, newSortableId } from '../../src/common/ids.ts';
import { asClient } from '../contract/collections-support.ts';
import { stream } from '../contract/usage-support.ts';
import {
  addCommand,
  environment,
  type Json,
  openStoreOf,
  serve,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { ndjson, record } from '../harness/import-bench.ts';
import { certifier, LICENSEE, newQuote, quoteBody } from '../harness/licensing.ts';
import { publishCardFile } from '../harness/published-card.ts';
import { until } from '../harness/until.ts';
import { bodiesOf, shellLines, shellLinesOf, textOf } from './guide-lines.ts';

let folder: TemporaryFolder;
let data: string;
let client: Json;
beforeAll(async () => {
  folder = temporaryFolder();
  data = folder.at('data');
  addCommand(folder.path);
  writeFileSync(folder.at('tracks.ndjson'), ndjson(record('1', { name: 'Night Drive' })));
  await staveJson(data, ['import', folder.at('tracks.ndjson')]);
  const terms = ['-s', 'tracks,playlists', '-f', 'all'];
  client = await staveJson(data, ['clients', 'create', '-n', 'Acme', ...terms]);
});
afterAll(() => folder?.[Symbol.dispose]());

/** Runs lines of a shell one after the other, and returns what they print. */
async function run(lines: readonly string[]): Promise<string> {
  const script = lines.join('\necho\n');
  const options = { cwd: folder.path, env: environment(data) };
  return (await promisify(execFile)('sh', ['-e', '-c', script], options)).stdout;
}

test('runs the lines of docs/languages.md', async () => {
  await using serving = await serve(data);
  const { clientId, testSecret } = client;
  const blocks = shellLinesOf('docs/languages.md');
  const first = blocks.findIndex((block) => block.startsWith('TOKEN='));
  const set = `STAVE=${serving.url} CLIENT_ID=${clientId} CLIENT_SECRET=${testSecret}`;
  await run([set, ...blocks.slice(0, first)]);
  // The service takes the changes in shortly after the commands.
  await until(async () => {
    const stdout = await run([set, ...blocks.slice(first)]).catch(() => '{"data":{}}');
    const [tracks, playlists, languages] = bodiesOf(stdout).map((body) => body.data);
    // A busy node may refuse a request, too.
    if (!tracks?.items || !playlists?.items || !languages?.items) return false;
    if (tracks.items[0]?.filters[0].name !== 'Ruhig') return false;
    if (playlists.items[0]?.name !== 'Spätabends' || languages.items[0]?.playlists !== 1)
      return false;
    expect(tracks.items).toMatchObject([
      {
        ...{ name: 'Nachtfähre', language: 'de', originalName: 'Night Ferry', tags: ['Klavier'] },
        filters: [{ name: 'Ruhig', slug: 'calm' }],
      },
    ]);
    expect(stdout).toMatch(/^content-language: de\r?$/im);
    expect(playlists.items).toMatchObject([{ name: 'Spätabends', slug: 'late-evening' }]);
    expect(languages.items).toEqual([{ language: 'de', tracks: 1, filters: 1, playlists: 1 }]);
    return true;
  }, 'the texts of the guide');
});

test('runs the lines of docs/prices.md', async () => {
  const text = textOf('docs/prices.md');
  const card = /^```json\n(.*?)^```/ms.exec(text)![1]!;
  writeFileSync(folder.at('standard.json'), card);
  writeFileSync(folder.at('gold.json'), card.replace('"standard"', '"gold"'));
  const request = quoteBody({ tracks: ['night-drive'], territories: ['DE'] });
  writeFileSync(folder.at('request.json'), JSON.stringify(request));
  const lines = shellLines(text).map((block) =>
    block.replaceAll('CLIENT', client.clientId).replace('standard@4', 'standard@1'),
  );
  const stdout = await run(lines);
  expect(stdout).toMatch(/night-drive/);
  expect(await staveJson(data, ['rate-cards', 'list'])).toMatchObject([
    { name: 'gold', inForce: true },
    { name: 'standard', inForce: false },
  ]);
  const { clientId } = client;
  expect(await staveJson(data, ['clients', 'show', clientId])).toMatchObject({ rateCard: 'gold' });
  await staveJson(data, ['clients', 'update', clientId, '--rate-card', 'standard']);
});

test('runs the lines of docs/takedown.md', async () => {
  const { clientId } = client;
  await publishCardFile(data, folder);
  const list = ['playlists', 'create', '-n', 'Driving', '-t', 'night-drive'];
  await staveJson(data, list);
  await staveJson(data, ['playlists', 'grant', 'driving', '-c', clientId]);
  const store = await openStoreOf(data);
  const me = asClient(clientId);
  const now = systemClock.now();
  const { id: trackId } = await staveJson(data, ['tracks', 'show', 'night-drive']);
  const webhook = {
    ...{ id: newSortableId(now), url: 'https://127.0.0.1/', description: '' },
    ...{ eventTypes: ['track.taken_down' as const], referencedOnly: false },
    secret: Buffer.alloc(32, 1),
  };
  await store.webhooks.create(webhook, me);
  const quote = await newQuote(store, me, now, { names: ['night-drive'] });
  const request = { quoteId: quote.id, termsVersion: '2026-1', licensee: LICENSEE };
  const { license } = await store.issuedLicenses.issue(request, { certify: certifier() }, me);
  const report = { clientId, mode: 'live', batchId: newId(), receivedAt: now } as const;
  const events = [stream('e-1', 0, { trackId, occurredAt: now })];
  await store.usage.report({ ...report, maxAgeDays: 7, events });
  await store.close();

  const [takedown, reported, restore] = shellLinesOf('docs/takedown.md');
  const first = await run([takedown!]);
  for (const part of ['night-drive', 'driving', 'Acme', license.number]) {
    expect(first).toContain(part);
  }
  {
    // The service sends the messages.
    await using _ = await serve(data);
    const deliveries = () => staveJson(data, ['webhooks', 'deliveries', webhook.id]);
    await until(async () => (await deliveries()).length > 0, 'the message');
  }
  const second = await run([reported!]);
  expect(second).toMatch(/taken_down +by .*\n +claim of the author \(2026-118\)\n/);
  expect(second).toMatch(/track\.taken_down +\w+ +live +Acme\n/);
  expect(second).toMatch(/^\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d +live +1 +0 +0 +Acme$/m);
  expect(second).toContain(license.number);
  expect(second).toContain(`"trackId":"${trackId}"`);
  await run([restore!]);
  expect(await staveJson(data, ['tracks', 'show', 'night-drive'])).toMatchObject({ state: 'live' });
});

test('runs the lines of docs/onboarding.md', async () => {
  await using serving = await serve(data);
  const blocks = shellLinesOf('docs/onboarding.md');
  const created = blocks.findIndex((block) => block.includes('clients create'));
  const disabled = blocks.findIndex((block) => block.includes('clients disable'));
  const stdout = await run(blocks.slice(created, disabled));
  expect(stdout).toMatch(/^stave_live_\w+|stave_live_\w+/m);
  const { clientId, testSecret } = JSON.parse(readFileSync(folder.at('client.json'), 'utf8'));
  expect(await staveJson(data, ['clients', 'show', clientId])).toMatchObject({
    ...{ name: 'Lighthouse Film', rateLimit: 1200, enabled: true },
    features: ['changes', 'usage'],
  });
  const token = await serving.token(clientId, testSecret);
  const headers = { Authorization: `Bearer ${token}` };
  await until(async () => {
    const response = await fetch(`${serving.url}/v1/playlists`, { headers });
    const { data: page } = (await response.json()) as Json;
    return page.items?.[0]?.slug === 'lighthouse-picks';
  }, 'the playlist');
  await run([`CLIENT=${clientId}`, ...blocks.slice(disabled)]);
  await until(
    async () => (await fetch(`${serving.url}/v1/me`, { headers })).status === 401,
    'the end of the token',
  );
});
