import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../src/engines/http/route/change-once.ts';
import { setClientEnabled, updateClient } from '../../src/features/access/clients.ts';
import { type LinkServer, startLinkServer } from '../harness/shared-links.ts';
import { setTrackState } from '../harness/track-state.ts';

const DAY_SECONDS = 86_400;

let on: LinkServer;
beforeAll(async () => {
  on = await startLinkServer();
});
afterAll(() => on?.server.close());

const typeOf = ({ status, error }: { status: number; error: { type?: string } }) => [
  status,
  error.type,
];
const inDays = (days: number) =>
  new Date(on.server.clock.now() + days * DAY_SECONDS * 1_000).toISOString();

describe('a link of a collection', () => {
  it('is of its owner alone: a reader of the collection, and another mode, see none', async () => {
    const { server, owner, asOwner, collection } = on;
    const { id: linkId } = await on.link();
    const reader = await server.createClient({ features: ['saved-searches'] });
    const deps = { store: server.operator.store, clock: server.clock, by: 'test' } as const;
    for (const { clientId } of [owner, reader])
      await updateClient(deps, clientId, { account: 'A' });
    await asOwner('shareCollection', { params: { clientId: reader.clientId }, body: {} });
    const token = await reader.token();
    expect(
      (await server.call('showCollection', { token, params: { id: collection } })).status,
    ).toBe(200);
    const calls = [
      ['createCollectionLink', { body: {} }],
      ['listCollectionLinks', {}],
      ['showCollectionLink', {}],
      ['updateCollectionLink', { body: { label: 'A' } }],
      ['deleteCollectionLink', {}],
      ['listLinkComments', {}],
      ['deleteLinkComment', {}],
    ] as const;
    const live = await owner.token({ mode: 'live' });
    for (const [operationId, more] of calls) {
      const params = { id: collection, linkId, commentId: linkId };
      const headers = { 'If-Match': '*' };
      for (const as of [token, live]) {
        const response = await server.call(operationId, { ...more, headers, params, token: as });
        expect(typeOf(response), operationId).toEqual([404, 'not_found']);
      }
    }
  });

  it('exists in both modes', async () => {
    const { server, owner } = on;
    const token = await owner.token({ mode: 'live' });
    const body = { name: 'Live', tracks: [on.trackIds[2]] };
    const { data } = await server.call('createCollection', { token, body });
    const params = { id: data.id };
    const made = await server.call('createCollectionLink', { token, params });
    const { items } = (await on.read(made.data.url.split('/').at(-1))).data;
    expect(items[0].track.streamUrl).toContain('&mode=live&link=');
    expect(await on.media(items[0].track.streamUrl)).toEqual([200, undefined]);
  });

  it('refuses what it may not have, and takes what it may', async () => {
    const { asOwner } = on;
    const refused: [object, string][] = [
      [{ label: 'x'.repeat(81) }, 'label'],
      [{ label: 'a\nb' }, 'label'],
      [{ label: null }, 'label'],
      [{ expiresAt: inDays(0) }, 'expiresAt'],
      [{ expiresAt: inDays(366) }, 'expiresAt'],
      [{ expiresAt: 'tomorrow' }, 'expiresAt'],
      [{ password: 'x'.repeat(7) }, 'password'],
      [{ password: 'x'.repeat(129) }, 'password'],
      [{ password: null }, 'password'],
      [{ streams: 'none' }, 'streams'],
      [{ comments: 'yes' }, 'comments'],
      [{ url: 'x' }, 'url'],
    ];
    for (const [body, field] of refused) {
      const { status, error } = await asOwner('createCollectionLink', { body });
      expect([status, error.details?.[0]?.field], JSON.stringify(body)).toEqual([400, field]);
    }
    const { id: linkId } = await on.link({ expiresAt: inDays(364), password: 'x'.repeat(128) });
    const edit = (body: object, ifMatch: string) =>
      asOwner('updateCollectionLink', {
        params: { linkId },
        body,
        headers: { 'If-Match': ifMatch },
      });
    expect(typeOf(await edit({}, '*'))).toEqual([400, 'invalid_request']);
    const { data, headers } = await edit({ password: null, label: '' }, 'W/"1"');
    expect(data).toMatchObject({ hasPassword: false, label: '', version: 2 });
    expect(headers.etag).toBe('"2"');
    const stale = await edit({ label: 'A' }, '"1"');
    expect([...typeOf(stale), stale.headers.etag]).toEqual([412, 'precondition_failed', '"2"']);
  });

  it('is one of fifty live ones', async () => {
    const { server, owner } = on;
    const token = await owner.token();
    const { data } = await server.call('createCollection', { token, body: { name: 'Many' } });
    const params = { id: data.id as string };
    const make = () => server.call('createCollectionLink', { token, params });
    const made = [];
    for (let i = 0; i < 50; i++) made.push(await make());
    expect(made.every(({ status }) => status === 201)).toBe(true);
    expect(typeOf(await make())).toEqual([409, 'conflict']);
    const ofFirst = { ...params, linkId: made[0]!.data.id };
    await server.call('deleteCollectionLink', {
      ...{ token, params: ofFirst, headers: { 'If-Match': '"1"' } },
    });
    expect((await make()).status).toBe(201);
    const query = { page: 2, pageSize: 50 };
    const { data: page } = await server.call('listCollectionLinks', { token, params, query });
    expect([page.totalRecords, page.items[0].id]).toEqual([51, made[0]!.data.id]);
  });

  it('shows its address in every read, also in a repeated response, which is kept without it', async () => {
    const headers = { 'Idempotency-Key': 'make-one' };
    const { data: made } = await on.asOwner('createCollectionLink', { body: {}, headers });
    const again = await on.asOwner('createCollectionLink', { body: {}, headers });
    expect(JSON.stringify(again.data)).toBe(JSON.stringify(made));
    expect(again.headers['idempotency-replayed']).toBe('true');
    const params = { linkId: made.id };
    expect((await on.asOwner('showCollectionLink', { params })).data.url).toBe(made.url);
    const { clientId } = on.owner;
    const kept = await on.server.operator.store.idempotency.claim({
      ...{ clientId, mode: 'test', key: 'make-one' },
      fingerprint: fingerprintOf('POST', `/v1/collections/${on.collection}/links`, {}),
    });
    expect('status' in kept && kept.body.toString()).toMatch(/^(?!.*"url")/);
  });
});

describe('the end of a link', () => {
  /** What guests have of a link, after it must have ended. */
  async function expectEnded(token: string, urls: string[]) {
    expect(typeOf(await on.read(token))).toEqual([404, 'not_found']);
    for (const url of urls) expect(await on.media(url)).toEqual([403, 'url_expired']);
    expect((await on.server.http.send('GET', `/s/${token}`)).status).toBe(404);
  }

  async function opened(body: object = {}) {
    const link = await on.link(body);
    const { streamUrl, waveformUrl } = (await on.read(link.token)).data.items[0].track;
    expect(await on.media(streamUrl)).toEqual([200, undefined]);
    expect((await on.server.http.send('GET', `/s/${link.token}`)).status).toBe(200);
    return { link, urls: [streamUrl, waveformUrl] as string[] };
  }

  it('is DELETE, after which the owner sees it for 30 days, and cannot change it', async () => {
    const { asOwner, server } = on;
    const { link, urls } = await opened();
    await on.end(link);
    await expectEnded(link.token, urls);
    const params = { linkId: link.id };
    const headers = { 'If-Match': '*' };
    expect(typeOf(await asOwner('deleteCollectionLink', { params, headers }))).toEqual([
      404,
      'not_found',
    ]);
    const edit = await asOwner('updateCollectionLink', { params, headers, body: { label: 'A' } });
    expect(typeOf(edit)).toEqual([409, 'conflict']);
    const show = () => asOwner('showCollectionLink', { params });
    const { data } = await show();
    expect(data.endedAt).toBe(data.updatedAt);
    server.clock.advance(30 * DAY_SECONDS + 1);
    expect((await show()).status).toBe(404);
    await server.operator.store.links.expire();
    expect(await server.operator.store.links.live(link.token)).toBeUndefined();
  });

  it('is its expiry, also before its URLs expire', async () => {
    const { link, urls } = await opened({ expiresAt: new Date(on.server.clock.now() + 60_000) });
    on.server.clock.advance(61);
    await expectEnded(link.token, urls);
    const { data } = await on.asOwner('showCollectionLink', { params: { linkId: link.id } });
    expect(data.endedAt).toBe(data.expiresAt);
  });

  it('is that of its collection', async () => {
    const { server, owner } = on;
    const token = await owner.token();
    const body = { name: 'Short', tracks: [on.trackIds[0]] };
    const params = { id: (await server.call('createCollection', { token, body })).data.id };
    const { data } = await server.call('createCollectionLink', { token, params });
    const shared = data.url.split('/').at(-1);
    const { streamUrl } = (await on.read(shared)).data.items[0].track;
    await server.call('deleteCollection', { token, params, headers: { 'If-Match': '*' } });
    await expectEnded(shared, [streamUrl]);
    const [change] = await server.operator.store.changes.latest(1, { entity: 'link' });
    expect(change).toMatchObject({ kind: 'ended', entityId: data.id });
  });

  it('comes with the disabling of its client, for good; while the feature is off, there is none', async () => {
    const { server, owner } = on;
    const deps = { store: server.operator.store, clock: server.clock, by: 'test' } as const;
    const features = (names: string[]) => updateClient(deps, owner.clientId, { features: names });
    const { link, urls } = await opened();
    await features(['previews']);
    await server.until(async () => (await on.read(link.token)).status === 404);
    await expectEnded(link.token, urls);
    await features(['saved-searches', 'previews']);
    await server.until(async () => (await on.read(link.token)).status === 200);
    await setClientEnabled(deps, owner.clientId, false);
    await server.until(async () => (await on.read(link.token)).status === 404);
    await setClientEnabled(deps, owner.clientId, true);
    await server.until(async () => {
      const request = { token: await owner.token({ fresh: true }) };
      return (await server.call('readMe', request)).status === 200;
    });
    await expectEnded(link.token, urls);
    const { data } = await on.asOwner('showCollectionLink', { params: { linkId: link.id } });
    expect(data.endedAt).not.toBeNull();
  });

  it('gives the same response as a link that never was, and the log has no token', async () => {
    const link = await on.link();
    await on.end(link);
    const bodies: string[] = [];
    for (const token of [link.token, 'NoSuchLinkOfAnyService', 'x', `${link.token}x`]) {
      await on.server.until(async () => {
        const { status, error } = await on.read(token);
        const { requestId: _, ...shown } = error;
        // A busy machine responds with 503.
        if (status === 404) bodies.push(JSON.stringify(shown));
        return status === 404;
      });
    }
    expect(bodies).toEqual(Array(4).fill(bodies[0]));
    expect(JSON.stringify(on.lines)).not.toContain(link.token);
    expect(on.lines.map(({ path }) => path)).toContain('/v1/shared/…');
  });

  it('is not needed to end whole streams: preview clips are what is left', async () => {
    const { link, urls } = await opened();
    const edit = (streams: string) =>
      on.asOwner('updateCollectionLink', {
        ...{ params: { linkId: link.id }, body: { streams }, headers: { 'If-Match': '*' } },
      });
    await edit('preview');
    expect(await on.media(urls[0]!)).toEqual([403, 'url_expired']);
    const { track } = (await on.read(link.token)).data.items[0];
    expect(track.streamUrl).toBeUndefined();
    expect(await on.media(track.previewUrl)).toEqual([200, undefined]);
  });

  it('leaves takedowns to the catalog', async () => {
    const { server, trackIds } = on;
    const { link, urls } = await opened();
    const { store } = server.operator;
    await setTrackState(store, trackIds[0]!, 'taken_down', 'test');
    await server.until(async () => (await on.media(urls[0]!))[1] === 'gone');
    await server.until(async () => (await on.read(link.token)).data.totalRecords === 1);
    await setTrackState(store, trackIds[0]!, 'live', 'test');
    await server.until(async () => (await on.read(link.token)).data.totalRecords === 2);
  });
});
