import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asClient } from '../contract/collections-support.ts';
import {
  openStoreOf,
  someTracks,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { certifier, LICENSEE, newQuote, quoteBody } from '../harness/licensing.ts';
import { publishCardFile } from '../harness/published-card.ts';
import { CARD, cardText } from '../harness/rate-cards.ts';

let folder: TemporaryFolder;
let data: string;
let clientId: string;
let slug: string;
let number: string;
let quoteId: string;
beforeAll(async () => {
  folder = temporaryFolder();
  data = folder.at('data');
  writeFileSync(folder.at('tracks.ndjson'), someTracks(1));
  await staveJson(data, ['import', folder.at('tracks.ndjson')]);
  const names = ['--name', 'Acme', '--scopes', 'tracks'];
  ({ clientId } = await staveJson(data, ['clients', 'create', ...names]));
  await publishCardFile(data, folder);
  const store = await openStoreOf(data);
  for await (const documents of store.catalog.liveDocuments(0)) {
    slug = documents[0]!.document.id;
  }
  const now = Date.now();
  const quote = await newQuote(store, asClient(clientId), now, {
    names: [slug],
    project: { name: 'Spring "ad"\u0007', reference: 'PO-1' },
    purchaseOrder: '4711/a',
  });
  quoteId = quote.id;
  const request = { quoteId, termsVersion: '2026-1', licensee: LICENSEE };
  const issue = { statedNow: now, certify: certifier() };
  const { license } = await store.issuedLicenses.issue(request, issue, asClient(clientId));
  number = license.number;
  await store.close();
});
afterAll(() => folder[Symbol.dispose]());

describe('stave rate-cards', () => {
  it('publishes versions, shows them, and withdraws them', async () => {
    expect(await publishCardFile(data, folder, { name: 'gold' })).toEqual({
      name: 'gold',
      version: 1,
    });
    expect(await publishCardFile(data, folder, { name: 'gold' })).toMatchObject({ version: 2 });
    const withdraw = ['rate-cards', 'withdraw', 'gold@2'];
    expect(await staveJson(data, withdraw)).toEqual({ name: 'gold', version: 2, changed: true });
    expect(await staveJson(data, withdraw)).toMatchObject({ changed: false });
    const listed = await staveJson(data, ['rate-cards', 'list']);
    expect(listed).toMatchObject([
      { name: 'gold', version: 2, inForce: false, withdrawnAt: expect.stringMatching(/Z$/) },
      { name: 'gold', version: 1, inForce: true, withdrawnAt: null },
      { name: 'standard', version: 1, inForce: true },
    ]);
    const shown = await stave(data, ['rate-cards', 'show', 'gold']);
    expect(JSON.parse(shown.stdout)).toEqual({ ...CARD, name: 'gold' });
    expect(await staveJson(data, ['rate-cards', 'show', 'gold@2'])).toMatchObject({
      version: 2,
      document: { ...CARD, name: 'gold' },
    });
  });

  it('prices a request by a card that is not published', async () => {
    writeFileSync(folder.at('dear.json'), cardText({ base: { music: 20_000, sfx: 20_000 } }));
    writeFileSync(folder.at('request.json'), JSON.stringify(quoteBody({ tracks: [slug] })));
    const dry = ['rate-cards', 'publish', folder.at('dear.json'), '--dry-run', '--allow-missing'];
    expect(await staveJson(data, dry)).toEqual({ name: 'standard', valid: true });
    const priced = await staveJson(data, [...dry, '--quote', folder.at('request.json')]);
    expect(priced).toMatchObject({ amountMinor: 36_000, items: [{ amountMinor: 36_000 }] });
    const { stdout } = await stave(data, [...dry, '--quote', folder.at('request.json')]);
    expect(stdout).toMatch(/total +360\.00 EUR/);
    expect(await staveJson(data, ['rate-cards', 'show', 'standard'])).toMatchObject({ version: 1 });
  });

  it.each([
    ['a float', { media: { online: 1.5 } }, 'media.online must be a decimal in quotes'],
    ['a fifth decimal', { mediaCap: '1.00001' }, 'mediaCap must be a decimal in quotes'],
  ])('refuses a card with %s in one line', async (_, members, problem) => {
    writeFileSync(folder.at('bad.json'), cardText(members));
    const { code, stderr } = await stave(data, ['rate-cards', 'publish', folder.at('bad.json')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(problem);
  });

  it.each([
    [['publish', 'none.json'], 'none.json'],
    [['show', 'silver'], 'There is no rate card silver'],
    [['withdraw', 'standard'], 'name the version'],
    [['withdraw', 'standard@9'], 'There is no rate card standard@9'],
  ])('fails in one line: %j', async (args, problem) => {
    const { code, stderr } = await stave(data, ['rate-cards', ...args]);
    expect(code).toBe(1);
    expect(stderr).toContain(problem);
    expect(stderr).toMatch(/^[^\n]+\n$/);
  });
});

describe('stave quotes and stave licenses', () => {
  it('list what was quoted and sold', async () => {
    const [quote] = await staveJson(data, ['quotes', 'list', '--client', clientId]);
    expect(quote).toMatchObject({ id: quoteId, clientId, mode: 'live', licenseNumber: number });
    const list = (...filter: string[]) => staveJson(data, ['licenses', 'list', ...filter]);
    expect(await list()).toMatchObject([
      { number, clientId, status: 'active', licensee: LICENSEE, currency: 'EUR', minorUnit: 2 },
    ]);
    expect(await list('--track', slug, '--status', 'active', '--mode', 'live')).toHaveLength(1);
    expect(await list('--mode', 'test')).toEqual([]);
    expect(await list('--status', 'expired')).toEqual([]);
    expect(await list('--state', 'expired')).toEqual([]);
    expect(await list('--number', number.slice(0, 13).toLowerCase())).toHaveLength(1);
    expect(await list('--number', number, '--state', 'active')).toHaveLength(1);
    expect(await list('--number', `${number}0`)).toEqual([]);
    expect(await list('--number', '1999')).toEqual([]);
    expect(await list('--since', '2020-01-01', '--until', '2099-01-01')).toHaveLength(1);
    expect(await list('--until', '2020-01-01')).toEqual([]);
    expect(await list('--since', '2099-01-01', '--client', clientId)).toEqual([]);
    const { stdout } = await stave(data, ['licenses', 'show', number.toLowerCase()]);
    expect(stdout).toContain(LICENSEE.name);
    expect(stdout).toMatch(/purchase order +4711\/a/);
    expect(stdout).not.toContain('\u0007');
  });

  it('show what was downloaded', async () => {
    const show = () => staveJson(data, ['licenses', 'show', number]);
    expect(await show()).toMatchObject({ downloadCount: 0, downloads: [] });
    const store = await openStoreOf(data);
    const trackId = (await store.catalog.resolveTrack(slug))!;
    const at = Date.UTC(2026, 10, 30);
    const download = { trackId, partId: null, format: 'original' as const, at, bytes: 1234 };
    await store.licenseDownloads.record(number, download);
    await store.close();
    expect(await show()).toMatchObject({
      downloadCount: 1,
      downloads: [{ ...download, at: '2026-11-30T00:00:00.000Z' }],
    });
    const { stdout } = await stave(data, ['licenses', 'show', number]);
    expect(stdout).toMatch(new RegExp(`2026-11-30 00:00:00Z +${trackId} +original +1,?234`));
  });

  it.each([
    ['There is no client nobody', '--client', 'nobody'],
    ['beginning of a number', '--number', '2026%'],
    ['There is no track nope', '--track', 'nope'],
    ['cannot be used with', '--state', 'active', '--status', 'active'],
    ['Allowed choices', '--state', 'gone'],
    ['day such as', '--since', 'yesterday'],
  ])('refuse a list with "%s": %j %j', async (message, ...args) => {
    const ran = await stave(data, ['licenses', 'list', ...args]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]*\n$/);
    expect(ran.stderr).toContain(message);
  });

  it('export one row for each license and track', async () => {
    const days = ['--from', '2020-01-01', '--to', '2099-01-01'];
    const file = folder.at('licenses.csv');
    expect(await staveJson(data, ['licenses', 'export', ...days, '--out', file])).toEqual({ file });
    const [heading, row, end] = readFileSync(file, 'utf8').split('\r\n');
    expect(heading).toMatch(/^\uFEFFNumber,Mode,ClientId,ClientName,IssuedAt,/);
    expect(row).toContain(`${number},live,${clientId},Acme,`);
    expect(row).toContain('"Spring ""ad""\u0007",PO-1,,online,DE,no,2026-1,');
    expect([heading, row].map((line) => line?.split(',').slice(-3))).toEqual([
      ['PurchaseOrder', 'ByType', 'ByName'],
      ['4711/a', 'client', 'Acme'],
    ]);
    expect(end).toBe('');
    const again = await stave(data, ['licenses', 'export', ...days, '--out', file]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already')]);
    const { stdout } = await stave(data, ['licenses', 'export', ...days, '--mode', 'test']);
    expect(stdout).toBe(`${heading}\r\n`);
  });

  it('revoke a license once, with a reason', async () => {
    const revoke = ['licenses', 'revoke', number, '--reason', 'not paid'];
    expect((await stave(data, revoke.slice(0, 3))).code).toBe(1);
    expect(await staveJson(data, revoke)).toEqual({ number, status: 'revoked', changed: true });
    expect(await staveJson(data, revoke)).toMatchObject({ changed: false });
    expect(await staveJson(data, ['licenses', 'show', number])).toMatchObject({
      status: 'revoked',
      reason: 'not paid',
    });
    const unknown = await stave(data, ['licenses', 'revoke', 'X', '--reason', 'x']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no license X')]);
  });
});
