import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { setClientEnabled } from '../../src/features/access/clients.ts';
import type { CallOptions } from '../harness/call.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { LICENSEE, publishCard, quoteBody } from '../harness/licensing.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';

const FIXTURE = 'f1c70000-0000-4000-8000-000000000200';
const GONE = 'f1c70000-0000-4000-8000-000000000410';
const NAMES = [delivery(1).id, delivery(2).id];

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(5) });
  client = await newClient();
});
afterAll(() => server?.close());

const newClient = () => server.createClient({ features: ['licensing', 'usage', 'changes'] });

async function call(operation: string, options: CallOptions = {}) {
  return server.call(operation, { token: await client.token(), ...options });
}

const quote = (members: object = {}, options: CallOptions = {}) =>
  call('createQuote', { body: quoteBody({ tracks: [NAMES[0]], ...members }), ...options });

const buy = ({ id, termsVersion }: { id: string; termsVersion: string }, options = {}) =>
  call('createLicense', { body: { quoteId: id, termsVersion, licensee: LICENSEE }, ...options });

const field = (name: string) => expect.objectContaining({ field: name });

describe('without a rate card', () => {
  it('nothing is for sale but the fixture track, in test mode', async () => {
    expect((await call('readRateCard')).status).toBe(404);
    expect((await quote()).status).toBe(409);
    expect((await quote({ tracks: ['none'] })).status).toBe(404);
    expect((await quote({ tracks: [FIXTURE, NAMES[0]] })).status).toBe(409);
    expect((await quote({ tracks: [GONE] })).status).toBe(404);
    const live = await client.token({ mode: 'live' });
    expect((await quote({ tracks: [FIXTURE] }, { token: live })).status).toBe(404);
    for (const term of ['FOO', 'P9999Y']) {
      const refused = await quote({ tracks: [FIXTURE], term });
      expect([refused.status, refused.error.details]).toMatchObject([400, [{ field: 'term' }]]);
    }
    const { status, data } = await quote({ tracks: [FIXTURE.toUpperCase()], exclusive: true });
    expect(status).toBe(201);
    expect(data).toMatchObject({
      amountMinor: 1000,
      currency: 'XTS',
      minorUnit: 2,
      items: [{ trackId: FIXTURE, breakdown: [{ step: 'base', value: '1000' }] }],
    });
    const bought = await buy(data);
    expect(bought.data).toMatchObject({ tracks: [{ name: 'Stave Fixture', takenDown: false }] });
    // Its licenses never collide.
    expect((await quote({ tracks: [FIXTURE] })).status).toBe(201);
  });
});

describe('with a rate card', () => {
  beforeAll(() => publishCard(server.operator.store));

  it.each([
    [{ media: ['online', 'tv'] }, ['media[1]'], 'online, social, broadcast'],
    [{ term: 'P2Y' }, ['term'], 'P1M, P1Y, PERPETUAL'],
    [
      { territories: ['UK'] },
      ['territories[0]'],
      'country code of ISO 3166-1 in upper case, such as DE (did you mean GB?)',
    ],
    [
      { territories: ['DACH'] },
      ['territories[0]'],
      'country code of ISO 3166-1; send those of the group DACH (DE, AT, CH)',
    ],
    [
      { territories: ['DE', 'EU'] },
      ['territories[1]'],
      'the groups of your rate card are DACH (DE, AT, CH)',
    ],
    [{ tracks: [], media: ['tv'], term: 'P2Y' }, ['tracks', 'media[0]', 'term'], ''],
    [
      { tracks: ['a', 7], media: ['tv', 7], startsAt: '2001-01-01T00:00:00Z', price: 1 },
      ['tracks[1]', 'media[1]', 'price', 'media[0]', 'startsAt'],
      '',
    ],
    [{ tracks: [], audience: undefined }, ['tracks', 'audience'], ''],
    [{ audience: 'many', territories: ['WORLD', 'DE'] }, ['audience', 'territories'], ''],
    [
      { startsAt: '2026-02-30T00:00:00Z' },
      ['startsAt'],
      'name a day that exists; 2026-02-30 is no date',
    ],
    [{ territories: ['WORLD', 'DE'] }, ['territories'], 'WORLD alone'],
    [{ territories: ['DE', 'DE'] }, ['territories'], 'twice'],
    [{ media: ['online', 'online'] }, ['media'], 'twice'],
    [{ media: [] }, ['media'], ''],
    [{ tracks: [] }, ['tracks'], ''],
    [{ tracks: Array.from({ length: 101 }, (_, i) => `t-${i}`) }, ['tracks'], ''],
    [{ tracks: ['a', 'a'] }, ['tracks'], 'twice'],
    [{ audience: -1 }, ['audience'], ''],
    [{ audience: 1.5 }, ['audience'], ''],
    [{ audience: undefined }, ['audience'], 'missing'],
    [{ startsAt: '2026-01-01' }, ['startsAt'], ''],
    [{ startsAt: '2001-01-01T00:00:00Z' }, ['startsAt'], '5 minutes'],
    [{ startsAt: '2099-01-01T00:00:00Z' }, ['startsAt'], '365 days'],
    [{ project: { name: ' ' } }, ['project.name'], ''],
    [{ project: { name: 'a', reference: 'x'.repeat(101) } }, ['project.reference'], ''],
    [{ project: { name: 'a', reference: 'x\ny' } }, ['project.reference'], 'control'],
    [{ project: { name: 'Ad\u0007' } }, ['project.name'], 'control'],
    [{ project: { name: 'Ad\u2028' } }, ['project.name'], 'control'],
    [{ project: { name: '\u202eda gnirpS' } }, ['project.name'], 'directions'],
    [{ exclusive: null }, ['exclusive'], ''],
    [{ price: 5 }, ['price'], ''],
    [{ tracks: ['none'], term: 'P2Y' }, ['term'], ''],
  ])('refuses a quote with %j', async (members, fields, message) => {
    const { status, error } = await quote(members);
    expect(status).toBe(400);
    expect(error.details).toEqual(fields.map(field));
    expect(error.details![0]!.message).toContain(message);
    expect(error.message).toContain(error.details![0]!.message);
  });

  it('refuses characters in names that control lines or directions, and accepts all others', async () => {
    const { data: open } = await quote({ project: { name: '"Größe" & 夜の海 🎵', reference: '' } });
    const body = { quoteId: open.id, termsVersion: open.termsVersion };
    for (const [member, value] of [
      ['name', 'Acme\u2067 GmbH'],
      ['name', 'Acme\r\nGmbH'],
      ['email', 'a\u0007@b.example'],
    ]) {
      const licensee = { ...LICENSEE, [member!]: value };
      const { status, error } = await call('createLicense', { body: { ...body, licensee } });
      expect([status, error.details]).toEqual([400, [field(`licensee.${member}`)]]);
    }
    expect((await buy(open)).data.project.name).toBe('"Größe" & 夜の海 🎵');
  });

  it('names a track by its slug and its id only once, after unknown ones', async () => {
    const tracks = [delivery(1).id, 'none'];
    const slug = (await call('showTrack', { params: { slug: NAMES[0]! } })).data.slug;
    expect((await quote({ tracks: [...tracks, slug] })).status).toBe(404);
    const { status, error } = await quote({ tracks: [NAMES[0], slug.toUpperCase()] });
    expect(status).toBe(400);
    expect(error.details).toEqual([field('tracks[1]')]);
  });

  it('quotes and sells at the time that a test request states', async () => {
    const at = (time: string) => ({ headers: { 'X-Stave-Now': time } });
    const { data } = await quote(
      { term: 'P1M', startsAt: '2031-01-31T10:00:00+01:00' },
      at('2031-01-30T00:00:00Z'),
    );
    expect(data).toMatchObject({
      createdAt: '2031-01-30T00:00:00.000Z',
      expiresAt: '2031-02-13T00:00:00.000Z',
      startsAt: '2031-01-31T09:00:00.000Z',
    });
    const late = await buy(data, at('2031-01-31T09:05:00.001Z'));
    expect([late.status, late.error.message]).toEqual([409, expect.stringContaining('passed')]);
    const bought = await buy(data, at('2031-01-31T09:05:00Z'));
    expect(bought.data).toMatchObject({ endsAt: '2031-02-28T09:00:00.000Z', status: 'active' });
    expect(bought.data.number).toMatch(/^TEST-2031-000001-/);
    const params = { number: bought.data.number };
    const statusAt = async (time: string) =>
      (await call('showLicense', { params, ...at(time) })).data.status;
    expect(await statusAt('2031-01-31T08:59:59.999Z')).toBe('scheduled');
    expect(await statusAt('2031-02-28T08:59:59.999Z')).toBe('active');
    expect(await statusAt('2031-02-28T09:00:00Z')).toBe('expired');
    const expired = await call('showQuote', {
      params: { id: data.id },
      ...at('2040-01-01T00:00:00Z'),
    });
    expect(expired.data).toMatchObject({ status: 'licensed', licenseNumber: params.number });
    for (const time of ['1969-12-31T00:00:00Z', '9999-12-31T23:59:59Z', 'now']) {
      expect((await quote({}, at(time))).error.details).toEqual([field('X-Stave-Now')]);
    }
  });

  it('sells a license once, with and without an Idempotency-Key', async () => {
    const { data } = await quote();
    const headers = { 'Idempotency-Key': newId() };
    const first = await buy(data, { headers });
    expect(first.status).toBe(201);
    const replay = await buy(data, { headers });
    expect([replay.status, replay.headers['idempotency-replayed']]).toEqual([201, 'true']);
    expect(replay.data).toEqual(first.data);
    const again = await buy(data);
    expect([again.status, again.data]).toEqual([200, first.data]);
    const other = { ...LICENSEE, name: 'Other' };
    const body = { quoteId: data.id, termsVersion: data.termsVersion, licensee: other };
    const refused = await call('createLicense', { body });
    expect([refused.status, refused.error.message]).toEqual([
      409,
      expect.stringContaining(first.data.number),
    ]);
  });

  it('shows a claim set without the email, the price and the status in the certificate', async () => {
    const { data } = await buy((await quote()).data);
    const [header, payload] = data.certificate
      .split('.')
      .slice(0, 2)
      .map((part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    expect(header).toMatchObject({ alg: 'Ed25519', typ: 'license+jwt' });
    const seconds = (time: string) => Math.floor(Date.parse(time) / 1000);
    const { licensee: _, tracks, ...license } = payload.license;
    expect(payload).toMatchObject({
      jti: data.number,
      sub: LICENSEE.name,
      iat: seconds(data.issuedAt),
      nbf: seconds(data.startsAt),
      exp: seconds(data.endsAt),
      mode: 'test',
    });
    expect(payload.license.licensee).toEqual({ name: LICENSEE.name, country: LICENSEE.country });
    expect(data).toMatchObject(license);
    expect(tracks).toEqual(
      data.tracks.map(({ takenDown: __, ...track }: { takenDown: boolean }) => track),
    );
    expect(JSON.stringify(payload)).not.toContain(LICENSEE.email);
    expect(Object.keys(license)).not.toContain('amountMinor');
  });

  it('keeps clients and modes apart, with equal answers for what is unknown', async () => {
    const { data } = await quote();
    const bought = (await buy(data)).data;
    const strangers = [await (await newClient()).token(), await client.token({ mode: 'live' })];
    for (const token of strangers) {
      const asked = [
        await call('showQuote', { token, params: { id: data.id } }),
        await call('showLicense', { token, params: { number: bought.number } }),
        await buy(data, { token }),
      ];
      expect(asked.map(({ status }) => status)).toEqual([404, 404, 404]);
      const unknown = await call('showLicense', { token, params: { number: 'none' } });
      expect(asked[1]!.error.message).toBe(unknown.error.message);
      expect((await call('listLicenses', { token })).data.totalRecords).toBe(0);
      expect((await call('listQuotes', { token })).data.totalRecords).toBe(0);
    }
  });

  it('is named by reported use, cue sheets and references', async () => {
    const project = { name: 'Film', productionId: 'ep-1' };
    const { number } = (await buy((await quote({ project })).data)).data;
    const occurredAt = new Date(server.clock.now()).toISOString();
    const production = { id: 'ep-1', title: 'Harbour Lights' };
    const sync = (eventId: string, members: object) => ({
      ...{ eventId, type: 'sync', trackId: NAMES[0], occurredAt, seconds: 5, production },
      cue: { startSeconds: 1, usage: 'BI' },
      ...members,
    });
    const events = [
      sync('a', { licenseNumber: number.toLowerCase() }),
      sync('b', { licenseNumber: '2026-000001-AAAAAAAA' }),
      sync('c', {}),
      sync('d', { trackId: FIXTURE, licenseNumber: number }),
    ];
    const { data } = await call('reportUsage', { body: { events } });
    const results = data.results as { status: string; reason?: string }[];
    expect(results.map(({ status, reason }) => reason ?? status)).toEqual([
      'accepted',
      'unknown_license',
      'accepted',
      'accepted',
    ]);
    const sheet = await call('readCueSheet', { query: { productionId: 'ep-1' } });
    const cues = sheet.data.cues as { licenseNumber: string }[];
    expect(cues.map(({ licenseNumber }) => licenseNumber)).toEqual([number, number]);
    const references = await call('readTrackReferences', { params: { slug: NAMES[0]! } });
    expect(references.data.licenses).toContainEqual(
      expect.objectContaining({ number, status: 'active' }),
    );
    const live = await client.token({ mode: 'live' });
    const other = await call('readTrackReferences', { token: live, params: { slug: NAMES[0]! } });
    expect(other.data.licenses).toEqual([]);
  });

  it('lists a track that was taken down to those who licensed it', async () => {
    const { number } = (await buy((await quote({ tracks: [NAMES[1]] })).data)).data;
    await setTrackState(server.operator.store, NAMES[1]!, 'taken_down', 'test:harness');
    const params = { slug: NAMES[1]! };
    const { data } = await call('readTrackReferences', { params });
    expect(data).toMatchObject({ state: 'taken_down', licenses: [{ number }] });
    const shown = (await call('showLicense', { params: { number } })).data;
    expect(shown).toMatchObject({ status: 'active', tracks: [{ takenDown: true }] });
    const stranger = await (await newClient()).token();
    expect((await call('readTrackReferences', { token: stranger, params })).status).toBe(404);
  });

  it('keeps the licenses of a client that was disabled', async () => {
    const other = await newClient();
    const token = await other.token();
    const { number } = (await buy((await quote({}, { token })).data, { token })).data;
    await setClientEnabled(server.operator, other.clientId, false);
    const found = await server.operator.store.issuedLicenses.findAny(number);
    expect(found).toMatchObject({ clientId: other.clientId, revokedAt: null });
  });
});
