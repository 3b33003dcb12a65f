import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillEveryTable, type Partner, SERVICE } from '../cli/every-table.ts';
import { staveJson, temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';
import { type Receiver, startReceiver } from '../harness/webhook-receiver.ts';
import { type ConsoleClient, serveConsole } from './console-client.ts';

const folder = temporaryFolder();
const data = folder.at('data');
let receiver: Receiver;
let partner: Partner;
let running: Awaited<ReturnType<typeof serveConsole>>;
let client: ConsoleClient;

beforeAll(async () => {
  receiver = await startReceiver();
  partner = await fillEveryTable(folder, data, receiver);
  running = await serveConsole({ ...folder, path: data }, { env: SERVICE });
  client = running.client;
  await client.login();
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  await receiver?.close();
  folder[Symbol.dispose]();
});

const run = (...args: string[]) => staveJson(data, args);
const read = async (path: string) => {
  const { status, text } = await client.get(path);
  expect(status, path).toBe(200);
  return text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
};

it('shows webhooks with their messages, pings, sends again and disables', async () => {
  const to = `/webhooks/${partner.webhook}`;
  expect(await read('/webhooks')).toContain(receiver.url);
  const messages = await read(to);
  expect(messages).toContain('track.taken_down');
  expect(messages).not.toContain(partner.secret);
  const ping = await client.submit(`${to}/ping`);
  expect(ping.text).toContain('webhook.ping');
  await until(
    async () => /webhook\.ping delivered/.test(await read(`${to}?status=delivered`)),
    'the ping to be delivered',
  );
  const [delivery] = await run('webhooks', 'deliveries', partner.webhook, '--status', 'delivered');
  const before = receiver.received.length;
  expect(await read(`${to}/deliveries/${delivery.id}`)).toContain('204');
  await client.submit(`${to}/deliveries/${delivery.id}/replay`);
  await until(() => receiver.received.length > before, 'the message to be sent again');
  await client.submit(`${to}/replay`);
  await client.submit(`${to}/disable`);
  expect((await run('webhooks', 'show', partner.webhook)).enabled).toBe(false);
  expect(await read(to)).toContain('disabled: operator');
  await client.submit(`${to}/enable`);
  expect((await run('webhooks', 'show', partner.webhook)).enabled).toBe(true);
});

it('shows which webhooks fail', async () => {
  const failing = '127.0.0.1:9';
  const number = (await run('webhooks', 'list')).filter(
    ({ isFailing }: { isFailing: boolean }) => isFailing,
  ).length;
  expect(number).toBeGreaterThan(0);
  expect(await read('/')).toContain(`Failing webhooks ${number} of `);
  // They come first.
  expect(await read('/webhooks')).toMatch(/Created http:\/\/127\.0\.0\.1:9\/ Acme \w+ failing/);
  expect(await read(`/clients/${partner.clientId}`)).toMatch(
    new RegExp(`http://${failing}/ \\w+ failing`),
  );
});

it('finds everything by a name or an id in one search', async () => {
  const find = async (text: string) => {
    const found = await client.get(`/search?${new URLSearchParams({ text })}`);
    expect(found.status).toBe(200);
    const main = found.text.slice(found.text.indexOf('<main'));
    return [...main.matchAll(/<td><span class="wide"><a href="([^"]+)">/g)].map(([, to]) => to!);
  };
  const track = await run('tracks', 'show', 'track-5');
  for (const text of [track.id, track.id.toUpperCase(), 'track-5', 'TRÁCK 5', ' track 5 ']) {
    // The words may also be in the path of an import.
    expect((await find(text))[0], text).toBe(`/tracks/${track.id}`);
  }
  expect((await find('track')).filter((to) => to.startsWith('/tracks/')).length).toBeGreaterThan(5);
  const acme = `/clients/${partner.clientId}`;
  const [{ secretId }] = (await run('clients', 'show', partner.clientId)).secrets;
  for (const text of ['acm', partner.clientId.slice(0, 8), secretId]) {
    expect(await find(text), text).toContain(acme);
  }
  const [list] = await run('playlists', 'list');
  for (const text of ['bes', list.id]) expect(await find(text)).toEqual([`/playlists/${list.id}`]);
  const { number } = partner.license;
  for (const text of [number, number.toLowerCase()]) {
    expect(await find(text)).toEqual([`/licenses/${number}`]);
  }
  expect(await find(number.slice(0, 5))).toContain(`/licenses/${number}`);
  const [batch] = await run('import', 'list');
  expect(await find(batch.id)).toEqual([`/imports?batch=${batch.id}`]);
  expect(await find('new.ndjson')).toEqual([`/imports?batch=${batch.id}`]);
  expect((await read(`/imports?batch=${batch.id}`)).match(/Check undo/g)).toHaveLength(1);
  expect(await find(partner.webhook)).toEqual([`/webhooks/${partner.webhook}`]);
  expect(await find(new URL(receiver.url).host)).toContain(`/webhooks/${partner.webhook}`);
  for (const text of ['', '%', '_', '!', 'nothing', "'", '<zzz>', 'x'.repeat(1_000)]) {
    expect(await find(text), text).toEqual([]);
  }
  expect((await client.get('/search?text=%3Czzz%3E')).text).not.toContain('<zzz>');
});

it('plays the audio of a track and shows its artwork', async () => {
  const { id } = await run('tracks', 'show', 'track-1');
  const { headers, text } = await client.get(`/tracks/${id}`);
  expect(headers.get('content-security-policy')).toContain("media-src 'self'");
  expect(text).toContain(`src="/tracks/${id}/audio"`);
  const range = await client.get(`/tracks/${id}/audio`, { range: 'bytes=0-3' });
  expect([range.status, range.text]).toEqual([206, 'RIFF']);
  expect(range.headers.get('content-type')).toBe('audio/wav');
  expect(range.headers.get('cache-control')).toBe('private, no-cache');
  const etag = range.headers.get('etag')!;
  expect((await client.get(`/tracks/${id}/audio`, { 'if-none-match': etag })).status).toBe(304);
  expect((await client.get(`/tracks/${id}/audio`, { range: 'bytes=999999999-' })).status).toBe(416);
  const picture = await client.get(`/tracks/${id}/artwork`);
  expect(picture.headers.get('content-type')).toBe('image/png');
  expect(text).toContain(`src="/tracks/${id}/artwork"`);
  for (const path of ['/tracks/track-6/audio', '/tracks/track-6/artwork', '/tracks/none/audio']) {
    expect((await client.get(path)).status, path).toBe(404);
  }
  expect((await client.get('/tracks/track-6')).text).not.toContain('<audio');
});

it('grants and revokes playlists on the page of a client', async () => {
  const to = `/clients/${partner.mate.clientId}`;
  expect(await read(to)).toContain('It sees no playlist.');
  expect((await client.get(to)).text).toContain('<option value="best">Best</option>');
  const granted = await client.submit(`${to}/playlists`, { playlist: 'best' });
  expect(granted.text).toContain('The client sees Best.');
  const [{ id }] = await run('playlists', 'list');
  expect((await run('clients', 'show', partner.mate.clientId)).playlistIds).toEqual([id]);
  await client.submit(`${to}/playlists/revoke`, { playlist: id });
  expect((await run('clients', 'show', partner.mate.clientId)).playlistIds).toEqual([]);
  const misspelled = await client.post(`${to}/playlists`, { playlist: 'bset' });
  expect(misspelled.status).toBe(404);
  expect(misspelled.text).toContain('did you mean best');
  expect((await client.get(to)).text).toContain('<option value="games">games@1</option>');
  const byName = await client.submit('/playlists/best/grant', { client: 'Mate' });
  expect(byName.text).toContain('The client sees the playlist now.');
});

it('shows the requests of a client by day, its last errors, and from where its secrets are used', async () => {
  const page = await read(`/clients/${partner.clientId}`);
  expect(page).toMatch(/Half within 95% within Errors \d{4}-\d\d-\d\d \d+ .* invalid_request/);
  expect(page).toMatch(/GET \/v1\/tracks 400 invalid_request page must/);
  expect(page).toMatch(/Addresses that use its secrets .* 127\.0\.0\.1 /);
});

it('shows quotes and licenses, and revokes a license with a reason', async () => {
  expect(await read('/quotes')).toContain(partner.quote);
  const { number } = partner.license;
  expect(await read(`/licenses?number=${number.slice(0, 8)}&mode=live`)).toContain(number);
  expect(await read(`/licenses/${number}`)).toContain('taken down');
  const refused = await client.post(`/licenses/${number}/revoke`, { reason: ' ' });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('Give a reason');
  await client.submit(`/licenses/${number}/revoke`, { reason: 'not paid' });
  expect(await run('licenses', 'show', number)).toMatchObject({
    ...{ status: 'revoked', reason: 'not paid' },
  });
  expect(await run('log', '--actor', 'console:console', '--entity', 'license')).toHaveLength(1);
  expect((await client.get('/licenses/none')).status).toBe(404);
});

it('adds up reported use as the command does', async () => {
  const day = new Date().toISOString().slice(0, 10);
  const { totals } = await run('usage', 'summary', '--from', '2026-01-01', '--to', day);
  expect(totals).toMatchObject({ streams: 1, downloads: 1, syncs: 1 });
  expect(await read(`/usage?from=2026-01-01&to=${day}`)).toMatch(
    /Streams 1 Downloads 1 Syncs 1 Played 73 s/,
  );
  expect(await read('/usage?from=0000-00-00&to=x&mode=y&client=z')).toContain(
    'Nothing was reported',
  );
});

it('shows rate cards, and who holds a track', async () => {
  expect(await read('/rate-cards')).toMatch(/games 2 withdrawn/);
  expect(await read('/rate-cards/games/1')).toContain('minimumMinor');
  const { id } = await run('tracks', 'show', 'track-5');
  const track = await read(`/tracks/${id}`);
  expect(track).toContain('claim of the author');
  expect(track).toContain(partner.license.number);
  expect(track).toContain('track.taken_down'.split('.')[1]!);
});

it('lists the keys without their secrets', async () => {
  const keys = await run('keys', 'list');
  expect(keys.length).toBeGreaterThanOrEqual(8);
  expect(Object.keys(keys[0])).toEqual(['id', 'purpose', 'createdAt', 'retiredAt']);
  const shown = await read('/keys');
  for (const { id } of keys) expect(shown).toContain(id);
});
