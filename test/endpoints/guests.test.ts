import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GUEST } from '../harness/collections.ts';
import { type LinkServer, startLinkServer } from '../harness/shared-links.ts';

let on: LinkServer;
beforeAll(async () => {
  on = await startLinkServer({ config: { trustProxy: ['loopback'] } });
});
afterAll(() => on?.server.close());

const PASSWORD = 'spring 2027';
const typeOf = ({ status, error }: { status: number; error: { type?: string } }) => [
  status,
  error.type,
];
const from = (address: string) => ({ 'X-Forwarded-For': address });

function vote(token: string, trackId: string, body: object) {
  return on.server.call('voteShared', {
    ...{ params: { token, trackId }, body: { ...GUEST, ...body } },
  });
}

function comment(token: string, body: object) {
  return on.server.call('commentShared', {
    ...{
      params: { token },
      body: { ...GUEST, trackId: on.trackIds[0], text: 'Could work', ...body },
    },
  });
}

describe('a password', () => {
  const unlock = (token: string, password: string, headers: Record<string, string> = {}) =>
    on.server.call('unlockShared', { params: { token }, body: { password }, headers });
  const cookieOf = ({ headers }: { headers: Record<string, unknown> }) =>
    String(headers['set-cookie']).split(';')[0]!;

  it('opens this link in this browser for 12 hours, until there is another one', async () => {
    const link = await on.link({ password: PASSWORD });
    const other = await on.link({ password: PASSWORD });
    const { trackIds, server } = on;
    const locked = await on.read(link.token);
    expect([...typeOf(locked), locked.headers['www-authenticate']]).toEqual([
      401,
      'invalid_token',
      undefined,
    ]);
    expect(typeOf(await vote(link.token, trackIds[0]!, { vote: 'pass' }))).toEqual([
      401,
      'invalid_token',
    ]);
    expect(typeOf(await comment(link.token, {}))).toEqual([401, 'invalid_token']);
    const wrong = await unlock(link.token, 'summer 2027');
    expect([...typeOf(wrong), wrong.headers['set-cookie']]).toEqual([
      401,
      'invalid_token',
      undefined,
    ]);

    const Cookie = cookieOf(await unlock(link.token, PASSWORD));
    expect((await on.read(link.token, { Cookie: `a=b; ${Cookie}` })).status).toBe(200);
    const changed = Cookie.replace(/=\d/, '=9');
    for (const forged of [changed, `${Cookie}A`, Cookie.slice(0, -2), Cookie.split('=')[0]!]) {
      expect((await on.read(link.token, { Cookie: forged })).status).toBe(401);
    }
    const moved = Cookie.replace(link.id, other.id);
    expect((await on.read(other.token, { Cookie: moved })).status).toBe(401);

    const edit = (password: string | null) =>
      on.asOwner('updateCollectionLink', {
        ...{ params: { linkId: link.id }, body: { password }, headers: { 'If-Match': '*' } },
      });
    await edit(PASSWORD);
    expect((await on.read(link.token, { Cookie })).status).toBe(401);
    const next = cookieOf(await unlock(link.token, PASSWORD));
    server.clock.advance(12 * 3_600 - 60);
    expect((await on.read(link.token, { Cookie: next })).status).toBe(200);
    server.clock.advance(61);
    expect((await on.read(link.token, { Cookie: next })).status).toBe(401);
    await edit(null);
    expect((await on.read(link.token)).status).toBe(200);
    expect((await unlock(link.token, 'any')).status).toBe(200);
  });

  it('is not checked after ten failures of an address in a minute, even at once', async () => {
    const { token } = await on.link({ password: PASSWORD });
    const attempts = await Promise.all(
      Array.from({ length: 14 }, () => unlock(token, 'wrong', from('192.0.2.1'))),
    );
    const statuses = attempts.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(4).fill(429)]);
    const throttled = await unlock(token, PASSWORD, from('192.0.2.1'));
    expect(typeOf(throttled)).toEqual([429, 'rate_limited']);
    expect(Number(throttled.headers['retry-after'])).toBeGreaterThan(0);
    expect((await unlock(token, PASSWORD, from('192.0.2.2'))).status).toBe(200);
    on.server.clock.advance(61);
    expect((await unlock(token, PASSWORD, from('192.0.2.1'))).status).toBe(200);
  });
});

describe('a guest', () => {
  it('votes once for each track of the collection, and may take it back', async () => {
    const { token } = await on.link();
    const [one, , outside] = on.trackIds as [string, string, string];
    await vote(token, one, { vote: 'approve' });
    await vote(token, one.toUpperCase(), { vote: 'pass', name: 'Ana B.' });
    const other = { guest: 'another-guest-22-chars', vote: 'approve' };
    expect((await vote(token, one, other)).data.votes).toEqual({ approve: 1, pass: 1 });
    expect((await vote(token, one, { vote: null })).data.votes).toEqual({ approve: 1, pass: 0 });
    expect((await on.read(token)).data.items[0].votes).toEqual({ approve: 1, pass: 0 });
    expect(typeOf(await vote(token, outside, { vote: 'pass' }))).toEqual([404, 'not_found']);
    for (const body of [
      { vote: 'love' },
      {},
      { vote: 'pass', guest: 'short' },
      { vote: 'pass', guest: `${'x'.repeat(21)} ` },
      { vote: 'pass', name: '' },
      { vote: 'pass', name: ' ' },
      { vote: 'pass', name: 'x'.repeat(81) },
      { vote: 'pass', name: 'a\u202eb' },
    ]) {
      expect((await vote(token, one, body)).status, JSON.stringify(body)).toBe(400);
    }
  });

  it('comments on tracks of the collection, which the owner reads and deletes', async () => {
    const { token, id: linkId } = await on.link();
    const { data: first } = await comment(token, { text: 'One' });
    const { data: second } = await comment(token, { text: 'Two\nlines', name: 'Bo' });
    const { items } = (await on.read(token)).data;
    expect(items[0].comments.map(({ text }: { text: string }) => text)).toEqual([
      'One',
      'Two\nlines',
    ]);
    const list = async () => (await on.asOwner('listLinkComments', { params: { linkId } })).data;
    expect((await list()).items).toEqual([second, first]);
    await on.asOwner('deleteLinkComment', { params: { linkId, commentId: first.id } });
    expect((await list()).totalRecords).toBe(1);
    const controls = ['\0', '\t', '\r\n', '\u001b[2J', '\u0085', '\u2028', '\u202e', '\u2066'];
    for (const text of ['', ' \n', 'x'.repeat(1_001), 5, ...controls.map((one) => `a${one}b`)]) {
      expect((await comment(token, { text })).status, JSON.stringify(text)).toBe(400);
    }
    const { error } = await comment(token, { text: 'a\u202eb' });
    expect(error.details).toMatchObject([
      {
        field: 'text',
        message: expect.stringContaining('no control characters except line feeds'),
      },
    ]);
    expect((await comment(token, { text: 'مرحبا \u200f(1)\n👍🏽' })).status).toBe(201);
    expect(typeOf(await comment(token, { trackId: on.trackIds[2] }))).toEqual([404, 'not_found']);
    const off = await on.link({ comments: false });
    expect(typeOf(await comment(off.token, {}))).toEqual([403, 'forbidden']);
  });

  it('is one of a thousand, whose five hundred comments are the most', async () => {
    const { token } = await on.link();
    const { links, guests } = on.server.operator.store;
    const link = (await links.live(token))!;
    const said = { name: 'A', trackRowId: 1, text: 'x' };
    for (let i = 0; i < 1_000; i++) {
      const guest = { ...said, guest: String(i).padStart(22, '0') };
      if (i < 500) await guests.comment(link, { ...guest, id: guest.guest });
      else await guests.vote(link, { ...guest, vote: 'pass' });
    }
    expect(typeOf(await vote(token, on.trackIds[0]!, { vote: 'pass' }))).toEqual([409, 'conflict']);
    const known = { guest: '0'.repeat(22) };
    expect((await vote(token, on.trackIds[0]!, { ...known, vote: 'pass' })).status).toBe(200);
    expect(typeOf(await comment(token, known))).toEqual([409, 'conflict']);
  });

  it('sends 120 requests a minute from one address, and all send 1,200', async () => {
    const { token } = await on.link();
    const send = async (address: string, times: number) => {
      const statuses = [];
      for (let i = 0; i < times; i++) statuses.push((await on.read(token, from(address))).status);
      return statuses.filter((status) => status !== 200);
    };
    expect(await send('192.0.2.10', 122)).toEqual([429, 429]);
    for (let n = 11; n < 20; n++) expect(await send(`192.0.2.${n}`, 120)).toEqual([]);
    expect(await send('192.0.2.20', 3)).toEqual([429, 429, 429]);
    const other = await on.link();
    expect((await on.read(other.token, from('192.0.2.10'))).status).toBe(200);
    const page = await on.server.http.send('GET', `/s/${token}`, from('192.0.2.10'));
    expect([page.status, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(page.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('is counted: openings, plays, and requests for media of the owner', async () => {
    const { server, owner, trackIds } = on;
    const { token, id: linkId } = await on.link();
    const { streamUrl } = (await on.read(token)).data.items[0].track;
    const path = streamUrl.slice(server.address.length);
    await server.call('readShared', { params: { token }, query: { page: 2 } });
    for (const Range of ['bytes=0-', 'bytes=0-1', 'bytes=100-', undefined]) {
      await server.http.send('GET', path, Range === undefined ? {} : { Range });
    }
    const { headers } = await server.http.send('HEAD', path);
    // Otherwise the browser of a guest would play after the end of the link.
    expect(headers['cache-control']).toBe('private, no-cache');
    const { data } = await on.asOwner('showCollectionLink', { params: { linkId } });
    expect(data).toMatchObject({ opens: 1, plays: 2 });
    expect(Date.parse(data.lastOpenedAt)).toBeLessThanOrEqual(server.clock.now());
    const now = server.clock.now();
    const used = () =>
      server.operator.store.mediaRequests.ofTrack(trackIds[0]!, { from: now - 1, to: now });
    await server.until(async () => (await used())[0]?.requests === 4);
    expect((await used())[0]).toMatchObject({ clientId: owner.clientId, mode: 'test' });
    expect(on.lines.filter((line) => line.linkId === linkId).length).toBeGreaterThan(5);
    for (const changed of [path.replace(/&link=[^&]+/, ''), path.replace(linkId, trackIds[0]!)]) {
      expect((await server.http.send('GET', changed)).status).toBe(403);
    }
  });
});
