import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../src/app/service.ts';
import { silentLog } from '../../src/common/log.ts';
import { HttpCaller } from '../harness/http.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { CUE, PRODUCTION, TRACK_IDS, usageEvent } from './usage-support.ts';

const FEATURES = { scopes: ['usage'], features: ['usage'] };
/** The bound of a report. */
const MAX_BYTES = 512 * 1024;

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer();
  token = await (await server.createClient(FEATURES)).token();
});
afterAll(() => server?.close());

const event = (eventId: string, members: object = {}) => usageEvent(server, eventId, members);

function send(events: readonly object[], headers: Record<string, string> = {}) {
  return server.call('reportUsage', { token, body: { events }, headers });
}

/** Sends a report of a new client, and returns the problems. */
async function problemsOf(...events: object[]): Promise<Record<string, string>> {
  const { status, error } = await send(events);
  expect(status).toBe(400);
  return Object.fromEntries(error.details!.map(({ field, message }) => [field, message]));
}

describe('a malformed event', () => {
  it('refuses the whole report, and names its field', async () => {
    const events = Array.from({ length: 500 }, (_, n) => event(`shape-${n}`));
    const bad = events.with(6, event('shape-6', { seconds: -1 }));
    expect(await problemsOf(...bad)).toEqual({
      'events[6].seconds': 'events[6].seconds must be a whole number from 0 to 86400',
    });
    const { data } = await send(events);
    expect(data).toMatchObject({ accepted: 500, duplicates: 0 });
  });

  it.each([
    ['eventId', { eventId: undefined }],
    ['eventId', { eventId: '' }],
    ['eventId', { eventId: 'a b' }],
    ['eventId', { eventId: 'a'.repeat(101) }],
    ['eventId', { eventId: 7 }],
    ['type', { type: 'play' }],
    ['type', { type: undefined }],
    ['trackId', { trackId: 'night-ferry' }],
    ['trackId', { trackId: null }],
    ['occurredAt', { occurredAt: '2026-11-21' }],
    ['occurredAt', { occurredAt: '2026-11-21T10:00:00' }],
    ['occurredAt', { occurredAt: '2026-02-30T10:00:00Z' }],
    ['occurredAt', { occurredAt: '2026-11-21T24:00:00Z' }],
    ['occurredAt', { occurredAt: '2016-12-31T23:59:60Z' }],
    ['occurredAt', { occurredAt: '2026-11-21T10:00:00+24:00' }],
    ['occurredAt', { occurredAt: 1_795_000_000_000 }],
    ['seconds', { seconds: undefined }],
    ['seconds', { seconds: 86_401 }],
    ['seconds', { seconds: 1.5 }],
    ['seconds', { seconds: '42' }],
    ['seconds', { type: 'download' }],
    ['userId', { userId: '' }],
    ['userId', { userId: 'u'.repeat(201) }],
    ['country', { country: 'de' }],
    ['country', { country: 'UK' }],
    ['country', { country: 'XK' }],
    ['country', { country: 'EU' }],
    ['playlistId', { playlistId: 'late-evening' }],
    ['endReason', { endReason: 'bored' }],
    ['endReason', { type: 'download', seconds: undefined, endReason: 'other' }],
    ['offline', { offline: 'false' }],
    ['licenseNumber', { licenseNumber: '' }],
    ['production', { production: PRODUCTION }],
    ['cue', { cue: CUE }],
    ['cue', { type: 'sync', production: PRODUCTION }],
    ['production', { type: 'sync', cue: CUE }],
    ['production.title', { type: 'sync', cue: CUE, production: { id: 'a' } }],
    ['production.id', { type: 'sync', cue: CUE, production: { id: 'a b', title: 'a' } }],
    [
      'production.airDate',
      { type: 'sync', cue: CUE, production: { ...PRODUCTION, airDate: '1.1.' } },
    ],
    ['cue.usage', { type: 'sync', production: PRODUCTION, cue: { ...CUE, usage: 'XX' } }],
    ['cue.startSeconds', { type: 'sync', production: PRODUCTION, cue: { usage: 'BI' } }],
    ['cue.number', { type: 'sync', production: PRODUCTION, cue: { ...CUE, number: 0 } }],
    ['duration', { duration: 42 }],
  ])('is refused for its %s: %j', async (member, members) => {
    const problems = await problemsOf(event('bad', members));
    expect(Object.keys(problems)).toEqual([`events[0].${member}`]);
  });

  it.each([
    ['no events', [], 'events'],
    ['501 events', Array(501).fill({}), 'events'],
    ['no object', ['e-1'], 'events[0]'],
  ])('is not the only fault: %s', async (_, events, field) => {
    expect(Object.keys(await problemsOf(...(events as object[])))).toEqual([field]);
  });

  it('is one of at most 50 that are named together', async () => {
    const problems = await problemsOf(...Array.from({ length: 60 }, () => ({})));
    expect(Object.keys(problems).length).toBe(50);
  });
});

describe('a well-formed event', () => {
  it.each([
    ['an offset', { occurredAt: '+01:00' }],
    ['small letters', { occurredAt: 'z' }],
  ])('may have a time with %s', async (name, { occurredAt: end }) => {
    const at = new Date(server.clock.now() - 7_200_000).toISOString().slice(0, -5);
    const text = end === 'z' ? `${at}.123456z`.replace('T', 't') : `${at}${end}`;
    const { data } = await send([event(name.replace(' ', '-'), { occurredAt: text })]);
    expect(data.accepted).toBe(1);
  });

  it('of each type is accepted with all its members', async () => {
    const shared = {
      userId: 'u-17',
      country: 'DE',
      playlistId: '9F0E6A4D-2A57-4F6E-8C1B-7D3F5B9A0E21',
      offline: true,
    };
    const production = {
      ...PRODUCTION,
      episodeTitle: 'Low Tide',
      episodeNumber: 'S01E07',
      country: 'GB',
      airDate: '2026-12-24',
      durationSeconds: 2_700,
    };
    const { data } = await send([
      event('all-stream', { ...shared, endReason: 'naturalEnd' }),
      event('all-download', { ...shared, type: 'download', seconds: undefined }),
      event('all-sync', { ...shared, type: 'sync', production, cue: { ...CUE, number: 1 } }),
    ]);
    expect(data.accepted).toBe(3);
  });

  it('is rejected alone for its meaning', async () => {
    const events = Array.from({ length: 500 }, (_, n) => event(`meaning-${n}`));
    const { data } = await send(
      events.with(6, event('meaning-6', { occurredAt: '2001-01-01T00:00:00Z' })),
    );
    expect(data).toMatchObject({ accepted: 499, rejected: 1 });
    expect(data.results[6]).toEqual({
      index: 6,
      eventId: 'meaning-6',
      status: 'rejected',
      reason: 'too_old',
      message: 'occurredAt is more than 7 days ago',
    });
  });

  it('is judged by the time that a test request states', async () => {
    const occurredAt = '2031-05-06T07:08:09Z';
    const result = async (now: string, eventId: string) =>
      (await send([event(eventId, { occurredAt })], { 'X-Stave-Now': now })).data.results[0];
    expect(await result('2031-05-06T07:00:00Z', 'now-1')).toMatchObject({ reason: 'in_future' });
    expect(await result('2031-05-20T07:00:00Z', 'now-2')).toMatchObject({ reason: 'too_old' });
    expect(await result('2031-05-06T08:00:00Z', 'now-3')).toMatchObject({ status: 'accepted' });
    const { error } = await send([event('now-4')], { 'X-Stave-Now': 'noon' });
    expect(error.details![0]!.field).toBe('X-Stave-Now');
  });
});

describe('a report', () => {
  it('counts the first of two contents under one eventId, in one report or in two', async () => {
    const [first, other] = [event('two', { country: 'DE' }), event('two', { country: 'FR' })];
    const { data } = await send([first, other]);
    expect(data).toMatchObject({ accepted: 1, duplicates: 0, rejected: 1 });
    expect((await send([other, first])).data.results).toMatchObject([
      { status: 'rejected', reason: 'event_conflict' },
      { status: 'duplicate' },
    ]);
  });

  it('may have 512 KiB', async () => {
    const body = JSON.stringify({ events: [event('large')] });
    const sendBytes = (bytes: number) =>
      server.call('reportUsage', { token, body: body.padEnd(bytes) });
    expect((await sendBytes(MAX_BYTES)).data.accepted).toBe(1);
    const { status, error } = await sendBytes(MAX_BYTES + 1);
    expect([status, error.type]).toEqual([413, 'payload_too_large']);
  });

  it('whose response is lost counts once when it is sent again', async () => {
    const events = [event('lost-1'), event('lost-2', { trackId: TRACK_IDS[1] })];
    await expect(send(events, { 'X-Stave-Simulate': 'lost_response' })).rejects.toThrow();
    expect((await send(events)).data).toMatchObject({ accepted: 0, duplicates: 2 });
  });

  it('gets the same response to the same Idempotency-Key, even if the first one was lost', async () => {
    const events = [event('key-1')];
    const headers = { 'Idempotency-Key': 'report-1' };
    await expect(
      send(events, { ...headers, 'X-Stave-Simulate': 'lost_response' }),
    ).rejects.toThrow();
    const [first, second] = [await send(events, headers), await send(events, headers)];
    expect(first.data).toMatchObject({ accepted: 1, duplicates: 0 });
    expect(first.headers['idempotency-replayed']).toBe('true');
    expect(second.body).toEqual(first.body);
    const { status, error } = await send([event('key-2')], headers);
    expect([status, error.type]).toEqual([422, 'idempotency_mismatch']);
  });

  it('counts once if it is sent 50 times at the same time, also to two nodes', async () => {
    const another = ON_POSTGRES
      ? await startService({ config: server.config, clock: server.clock, log: silentLog })
      : undefined;
    const events = Array.from({ length: 500 }, (_, n) => event(`parallel-${n}`));
    const callers = [server.address, another?.address ?? server.address].map(
      (base) => new HttpCaller(base),
    );
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ events });
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        callers[n % 2]!.send('POST', '/v1/usage', headers, body),
      ),
    );
    const sums = { accepted: 0, duplicates: 0, rejected: 0 };
    for (const response of responses) {
      expect(response.status).toBe(200);
      const { data } = JSON.parse(response.body.toString('utf8'));
      sums.accepted += data.accepted;
      sums.duplicates += data.duplicates;
      sums.rejected += data.rejected;
    }
    expect(sums).toEqual({ accepted: 500, duplicates: 49 * 500, rejected: 0 });
    for (const caller of callers) caller.close();
    await another?.close();
  }, 60_000);
});
