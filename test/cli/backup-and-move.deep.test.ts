import { writeFileSync } from 'node:fs';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Serving,
  serve,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { ndjson, record } from '../harness/import-bench.ts';
import { LICENSEE, quoteBody } from '../harness/licensing.ts';
import { POSTGRES_URL } from '../harness/services.ts';
import { until } from '../harness/until.ts';
import { type Receiver, startReceiver } from '../harness/webhook-receiver.ts';
import { Caller } from './caller.ts';
import { everyAnswer } from './every-answer.ts';
import { fillEveryTable, type Partner, SERVICE } from './every-table.ts';
import { newDatabase, removePlacesAfterTests } from './migrate-store-support.ts';
import { postgresRows, type Rows, type StoredRows, sqliteRows } from './stored-rows.ts';

removePlacesAfterTests();

/** The tables that a move leaves behind, with the reason. Every other table of the schema must be filled and moved. */
const NOT_MOVED: Readonly<Record<string, string>> = {
  leases: 'held by processes that run',
  nodes: 'of nodes that run',
  rendition_nodes: 'of nodes that run',
  usage_track_sums: 'made again from usage_days',
};
/** The tables that only PostgreSQL has, with the reason why they are not compared. */
const ONLY_POSTGRES: Readonly<Record<string, string>> = {
  change_log_head: 'SQLite has the greatest numbers in tables of its own',
  delivered_tracks: 'of an import that runs',
  delivery_sessions: 'of an import that runs',
  listed_tracks: 'of an import that runs',
  previewed_tracks: 'of an import that runs',
  stave_schema: 'SQLite has the version in its file',
};
/** The columns that may have no value: of work that is going on, and of what only a damaged file causes. */
const WITHOUT_VALUE = [
  'renditions.claimed_by',
  'renditions.claimed_until',
  'renditions.error',
  'sound_jobs.claimed_by',
  'sound_jobs.claimed_until',
  'streams.claimed_by',
  'streams.claimed_until',
  'streams.error',
  'source_provenance.changing',
  'webhook_chains.held',
  'webhook_deliveries.claimed_until',
];

let folder: TemporaryFolder;
let data: string;
let receiver: Receiver;
let partner: Partner;
/** What the service answered before. */
let before: Awaited<ReturnType<typeof answersOf>>;
beforeAll(async () => {
  folder = temporaryFolder();
  data = folder.at('data');
  receiver = await startReceiver();
  partner = await fillEveryTable(folder, data, receiver);
  await using service = await serve(data, SERVICE);
  before = await answersOf(service);
  expect(Object.values(before.live).filter((answer) => !answer.startsWith('200 '))).toEqual([]);
  await service.stop();
});
afterAll(async () => {
  await receiver?.close();
  folder?.[Symbol.dispose]();
});

/** What a service answers to all clients in both modes. */
async function answersOf({ url }: Serving) {
  const { clientId, liveSecret, testSecret, mate } = partner;
  const answers = async (id: string, secret: string) =>
    everyAnswer(await Caller.login(url, id, secret), partner);
  return {
    live: await answers(clientId, liveSecret),
    test: await answers(clientId, testSecret),
    mate: await answers(mate.clientId, mate.liveSecret),
  };
}

const without = (rows: Rows, name: string) => rows.filter((row) => row.name !== name);

function moved(tables: StoredRows): StoredRows {
  const left = [...Object.keys(NOT_MOVED), ...Object.keys(ONLY_POSTGRES)];
  return Object.fromEntries(Object.entries(tables).filter(([name]) => !left.includes(name)));
}

/** Expects a service with the data to go on where the original ended, for the partner of every feature. */
async function expectToContinue(service: Serving, env: Record<string, string>, dataFolder: string) {
  expect(await answersOf(service)).toEqual(before);
  const { clientId, token, liveSecret, license, keyed, savedSearch, collection } = partner;
  // A token from before is valid.
  expect((await new Caller(service.url, clientId, token).send('GET', '/v1/me')).status).toBe(200);
  const caller = await Caller.login(service.url, clientId, liveSecret);

  const published = await caller.send('GET', '/.well-known/jwks.json');
  const keys = createLocalJWKSet(JSON.parse(published.body.toString()) as JSONWebKeySet);
  const { payload } = await jwtVerify(license.certificate, keys, { typ: 'license+jwt' });
  expect(payload.jti).toBe(license.number);
  const { quoteId, termsVersion } = license;
  const request = { quoteId, termsVersion, licensee: LICENSEE };
  expect(await caller.write('POST', '/v1/licenses', request)).toMatchObject({
    number: license.number,
  });
  const repeated = await caller.write('POST', '/v1/quotes', keyed.body, {
    'Idempotency-Key': keyed.key,
  });
  expect(repeated).toEqual(keyed.answer);
  const quote = await caller.write('POST', '/v1/quotes', quoteBody({ tracks: ['track-6'] }));
  const next = await caller.write('POST', '/v1/licenses', { ...request, quoteId: quote.id });
  expect(next.number).toMatch(/^20\d\d-000003-/);

  const event = { eventId: 'e-2', type: 'download', trackId: license.tracks[0].trackId };
  const usage = { events: [{ ...event, occurredAt: new Date().toISOString() }] };
  expect((await caller.write('POST', '/v1/usage', usage)).results).toMatchObject([
    { status: 'rejected', reason: 'event_conflict' },
  ]);

  const { newCount } = await caller.read(`/v1/saved-searches/${savedSearch}`);
  writeFileSync(folder.at('later.ndjson'), ndjson(record('10', { filters: ['mood:Calm'] })));
  await staveWith(env, dataFolder, 'import', folder.at('later.ndjson'));
  const newTracks = async () => (await caller.read(`/v1/saved-searches/${savedSearch}`)).newCount;
  await until(async () => (await newTracks()) === newCount + 1, 'the new track');
  const item = { items: [{ track: 'track-10' }] };
  const added = await caller.write('POST', `/v1/collections/${collection}/items`, item);
  expect(added.added).toHaveLength(1);

  const from = receiver.received.length;
  await caller.write('POST', `/v1/webhooks/${partner.webhook}/ping`, {});
  await until(() => receiver.received.slice(from).some(isSignedPing), 'a signed message');
}

/** Whether a request is a ping of the live webhook, signed with the secret from before. */
function isSignedPing({ headers, body }: Receiver['received'][number]): boolean {
  try {
    const message = new Webhook(partner.secret).verify(body, headers as Record<string, string>);
    return (message as { type: string }).type === 'webhook.ping';
  } catch {
    return false;
  }
}

async function staveWith(env: Record<string, string>, dataFolder: string, ...args: string[]) {
  const ran = await stave(dataFolder, [...args, '--json'], { env });
  expect([ran.code, ran.stderr]).toEqual([0, expect.anything()]);
  return ran.json;
}

describe('the data of every feature', () => {
  it('fill every table and column', () => {
    const tables = sqliteRows(data);
    const filled = Object.entries(tables).filter(([name]) => !(name in NOT_MOVED));
    expect(filled.filter(([, rows]) => rows.length === 0).map(([name]) => name)).toEqual([]);
    const empty = filled.flatMap(([name, rows]) =>
      Object.keys(rows[0]!)
        .filter((column) => rows.every((row) => row[column] === null))
        .map((column) => `${name}.${column}`),
    );
    expect(empty.filter((column) => !WITHOUT_VALUE.includes(column))).toEqual([]);
  });

  it('are in a backup', async () => {
    const original = sqliteRows(data);
    const { lostMedia } = await staveJson(data, ['backup', folder.at('backup')]);
    expect(lostMedia).toEqual([]);
    const restored = folder.at('restored');
    await staveJson(restored, ['restore', folder.at('backup')]);
    // The messages of webhooks begin anew (backup-webhooks.deep.test.ts).
    const anew = ['webhooks', 'webhook_position', 'webhook_chains', 'webhook_deliveries'];
    const ended = ['client_sessions', 'sign_in_links'];
    const { settings, ...rows } = sqliteRows(restored);
    const { settings: others, operators, change_log: changes, ...same } = original;
    for (const name of Object.keys(same).filter((one) => ![...anew, ...ended].includes(one))) {
      expect(rows[name], name).toEqual(same[name]);
    }
    for (const name of ended) {
      expect([name, same[name]!.length > 0, rows[name]]).toEqual([name, true, []]);
    }
    expect(rows.change_log!.slice(0, changes!.length)).toEqual(changes);
    const kinds = rows.change_log!.slice(changes!.length).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['sessions_ended', 'signed_out']);
    // Links and sessions have ended.
    const withoutLinks = (all: typeof operators) =>
      all!.map((row) => ({ ...row, link_hash: null, link_expires_at: null, sessions_id: '' }));
    expect(operators!.filter(({ link_hash }) => link_hash !== null)).toHaveLength(1);
    expect(withoutLinks(rows.operators)).toEqual(withoutLinks(operators));
    for (const [i, row] of rows.operators!.entries()) {
      expect(row.link_hash).toBeNull();
      expect(row.sessions_id).not.toBe(operators![i]!.sessions_id);
    }
    // Only the epoch of the change log is another one. The id of the catalog is made for its first backup.
    const catalogId = settings!.find(({ name }) => name === 'catalog_id');
    expect(without(settings!, 'log_epoch')).toEqual([catalogId, ...without(others!, 'log_epoch')]);
    await using service = await serve(restored, SERVICE);
    await expectToContinue(service, {}, restored);
    const caller = await Caller.login(service.url, partner.clientId, partner.liveSecret);
    const old = await caller.send('GET', `/v1/tracks/changes?cursor=${partner.cursor}`);
    expect([old.status, old.body.toString()]).toEqual([410, expect.stringContaining('snapshot')]);
  });

  it.skipIf(POSTGRES_URL === undefined)('move to PostgreSQL and back', async () => {
    const url = await newDatabase();
    const env = { STAVE_DATABASE_URL: url };
    const report = await staveWith(env, data, 'migrate-store');
    const original = sqliteRows(data);
    const there = await postgresRows(url);
    expect(moved(there)).toEqual(moved(original));
    expect(report.copied).toBe(report.rows);
    const back = folder.at('back');
    await staveJson(back, ['migrate-store', '--from', url, '--to', `sqlite:${back}`]);
    expect(moved(sqliteRows(back))).toEqual(moved(original));

    await using service = await serve(data, { ...SERVICE, ...env });
    const caller = await Caller.login(service.url, partner.clientId, partner.liveSecret);
    await expectToContinue(service, env, data);
    const { items } = await caller.read(`/v1/tracks/changes?cursor=${partner.cursor}`);
    expect(items).toMatchObject([{ type: 'track.created', track: { slug: 'track-10' } }]);
  });
});
