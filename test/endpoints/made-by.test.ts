import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALL_SCOPES, FEATURES } from '../../src/common/caller.ts';
import { updateSeat } from '../../src/features/access/seats.ts';
import { licenseCsv } from '../../src/features/licensing/issued-license.ts';
import { actorForPeople, latestChanges } from '../../src/operator/reports.ts';
import { delivery } from '../harness/catalog.ts';
import { LICENSEE, publishCard, quoteBody } from '../harness/licensing.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { Browser, newSeat } from './sessions-support.ts';

let server: TestServer;
let ofClient: string;
let ofSeat: string;
let seatId: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: [delivery(1), delivery(2), delivery(3)] });
  await publishCard(server.operator.store);
  const client = await server.createClient({ scopes: ALL_SCOPES, features: FEATURES });
  ofClient = await client.token();
  const seat = await newSeat(server, client.clientId, { name: 'Ana' });
  seatId = seat.id;
  const browser = new Browser(server.http);
  await browser.signIn(seat.token);
  ofSeat = await browser.token();
});
afterAll(() => server?.close());

const client = { type: 'client', name: 'Test client' };
const ana = { type: 'seat', name: 'Ana' };

it('is shown by quotes and licenses', async () => {
  const body = quoteBody({ tracks: [delivery(1).id] });
  const { data: quote } = await server.call('createQuote', { token: ofSeat, body });
  const { data: other } = await server.call('createQuote', { token: ofClient, body });
  expect([quote.by, other.by]).toEqual([ana, client]);
  const read = await server.call('showQuote', { token: ofClient, params: { id: quote.id } });
  expect(read.data.by).toEqual(ana);
  const request = { quoteId: other.id, termsVersion: other.termsVersion, licensee: LICENSEE };
  const { data: license } = await server.call('createLicense', { token: ofSeat, body: request });
  expect(license.by).toEqual(ana);
  const { data: licenses } = await server.call('listLicenses', { token: ofClient });
  expect(licenses.items.map(({ by }: { by: object }) => by)).toEqual([ana]);
  const [change] = await latestChanges(server.operator.store, 1, { entity: 'license' });
  expect(change!.by).toBe(`seat:${seatId}`);
  expect(actorForPeople(change!)).toBe(`seat:${seatId} (Ana at Test client)`);
  const filter = { from: 0, to: Date.now(), now: Date.now(), mode: license.mode };
  const records = server.operator.store.issuedLicenses.records(filter);
  let csv = '';
  for await (const rows of licenseCsv(records, () => 'Test client')) csv += rows;
  expect(csv.split('\r\n').map((row) => row.split(',').slice(-2))).toEqual([
    ['ByType', 'ByName'],
    ['seat', 'Ana'],
    [''],
  ]);
});

it('is shown by collections and the notes of their tracks, with the name of then', async () => {
  const track = (i: number, note?: string) => ({ track: delivery(i).id!, note });
  const { data: made } = await server.call('createCollection', {
    token: ofSeat,
    body: { name: 'Spring', tracks: [delivery(1).id!] },
  });
  expect(made.by).toEqual(ana);
  const params = { id: made.id };
  await server.call('addCollectionItems', {
    ...{ token: ofSeat, params, body: { items: [track(2, 'opening'), track(3, 'end')] } },
  });
  const notes = async () => {
    const { data } = await server.call('listCollectionTracks', { token: ofClient, params });
    return data.items.map(({ note, by }: { note: string; by: object | null }) => [note, by]);
  };
  expect(await notes()).toEqual([
    ['', null],
    ['opening', ana],
    ['end', ana],
  ]);
  await server.call('replaceCollectionItems', {
    ...{ token: ofClient, params, headers: { 'If-Match': '*' } },
    body: { items: [track(1, 'new'), track(2, 'opening'), track(3)] },
  });
  await updateSeat(server.operator, seatId, { name: 'Anna' });
  await server.operator.store.seats.remove(seatId, 'test');
  const creations = { entity: 'collection', kind: 'created' } as const;
  const [creation] = await latestChanges(server.operator.store, 1, creations);
  expect(actorForPeople(creation!)).toBe(`seat:${seatId} (Anna at Test client)`);
  const [signIn] = await latestChanges(server.operator.store, 1, { kind: 'signed_in' });
  expect([signIn!.name, actorForPeople(signIn!)]).toEqual(['Anna', `seat:${seatId} (Anna)`]);
  expect(await notes()).toEqual([
    ['new', client],
    ['opening', ana],
    ['end', ana],
  ]);
  await server.call('updateCollectionItem', {
    ...{ token: ofClient, params: { ...params, trackId: delivery(2).id! } },
    ...{ headers: { 'If-Match': '*' }, body: { note: '' } },
  });
  expect((await notes())[1]).toEqual(['', null]);
  const { data } = await server.call('showCollection', { token: ofClient, params });
  expect(data.by).toEqual(ana);
});
