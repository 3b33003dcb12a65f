import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASE_FILE } from '../../src/app/open/data-folder.ts';
import { startService } from '../../src/app/service.ts';
import { silentLog } from '../../src/common/log.ts';
import { FIXTURE_TRACK_ID } from '../../src/features/catalog/track-document.ts';
import { delivery } from '../harness/catalog.ts';
import { HttpCaller } from '../harness/http.ts';
import { LICENSEE, publishCard, quoteBody } from '../harness/licensing.ts';
import { HAS_POPPLER } from '../harness/poppler.ts';
import { sell } from '../harness/sold-licenses.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'stave-pdf-'));

const NAMES = ['Night Ferry', '夜の海', 'Ночной паром', 'Νυχτερινό φέρι', 'Đêm trên biển', '🎵'];
const TRACKS = NAMES.map((name, n) =>
  delivery(n, { name, isrc: n % 2 === 0 ? `ZZSTV260000${n}` : '' }),
);

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  await publishCard(server.operator.store);
  const client = await server.createClient({ features: ['licensing'] });
  token = await client.token({ mode: 'live' });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server?.close();
});

const project = { name: 'Spring ad 春', reference: 'PO-4711' };
const licensee = { name: 'Größe & Söhne GmbH', country: 'DE', email: 'rights@house.example' };
const soldAll = () =>
  sell(server, token, {
    tracks: TRACKS.map(({ id }) => id),
    purchaseOrder: 'No. 0815/a',
    ...{ project, licensee },
  });

const pdfOf = async (number: string) =>
  (await server.call('readCertificatePdf', { token, params: { number } })).body;

/** Expects a price in the PDF of a license. */
async function expectPrice(number: string, buyer: string, price: string): Promise<void> {
  const params = { number };
  const { body } = await server.call('readCertificatePdf', { token: buyer, params });
  const text = execFileSync('pdftotext', ['-layout', fileOf(body), '-']).toString();
  expect(text).toMatch(new RegExp(`(^| )${price.replaceAll('.', '\\.')}$`, 'm'));
}

/** Stores a license with other terms. */
async function changeTerms(number: string, members: object): Promise<void> {
  const { config, clock } = server;
  const isServer = config.database !== null;
  const location = config.database?.url ?? join(config.dataFolder, DATABASE_FILE);
  await using database = await openDatabase({ isServer }, location, clock);
  await database.sql.write(async ({ queries }) => {
    const { document } = await queries
      .selectFrom('issuedLicenses')
      .select('document')
      .where('number', '=', number)
      .executeTakeFirstOrThrow();
    const changed = JSON.stringify({ ...JSON.parse(document), ...members });
    const update = queries.updateTable('issuedLicenses').set({ document: changed });
    await update.where('number', '=', number).execute();
  });
}

function fileOf(pdf: Buffer): string {
  const path = join(folder, 'license.pdf');
  writeFileSync(path, pdf);
  return path;
}

describe('the PDF of a license', () => {
  it.skipIf(!HAS_POPPLER)('says what the license grants, with names of each script', async () => {
    const license = await soldAll();
    const pdf = fileOf(await pdfOf(license.number));
    const text = execFileSync('pdftotext', ['-layout', pdf, '-']).toString();
    const expected = [
      ...[
        license.number,
        'Größe & Söhne GmbH',
        'PO-4711',
        'No. 0815/a',
        'online, social',
        '2026-1',
      ],
      ...['Night Ferry', 'Ночной паром', 'Νυχτερινό φέρι', 'Đêm trên biển', 'Non-exclusive'],
      ...[`${(license.amountMinor / 100).toFixed(2)} EUR`, 'Spring ad Chun'],
      // Names that the font lacks, with the id or the ISRC of the track.
      ...['YenoHai', TRACKS[1]!.id, 'ZZSTV2600000'],
    ];
    for (const one of expected) expect(text).toContain(one);
    expect(text).not.toContain('rights@house.example');
    expect(text).not.toContain('Test license');
  });

  it.skipIf(!HAS_POPPLER)('has the certificate attached', async () => {
    const { number, certificate } = await soldAll();
    const pdf = fileOf(await pdfOf(number));
    const attached = join(folder, 'attached');
    execFileSync('pdfdetach', ['-save', '1', '-o', attached, pdf]);
    expect(readFileSync(attached, 'utf8')).toBe(certificate);
    expect(execFileSync('pdfdetach', ['-list', pdf]).toString()).toContain('certificate.jws');
  });

  it.skipIf(!HAS_POPPLER)('prints a price without a rate card with two decimals', async () => {
    const client = await server.createClient({ features: ['licensing'] });
    const update = { rateCard: 'none' };
    await server.operator.store.clients.update(client.clientId, update, 'test:harness');
    const other = await client.token();
    const body = quoteBody({ tracks: [FIXTURE_TRACK_ID] });
    const { data: quote } = await server.call('createQuote', { token: other, body });
    const { data: license } = await server.call('createLicense', {
      token: other,
      body: { quoteId: quote.id, termsVersion: quote.termsVersion, licensee: LICENSEE },
    });
    await expectPrice(license.number, other, '10.00 XTS');
  });

  it.skipIf(!HAS_POPPLER)('prints the price with the decimals of its quote', async () => {
    const one = await soldAll();
    await changeTerms(one.number, { minorUnit: 3 });
    await expectPrice(one.number, token, `${(one.amountMinor / 1000).toFixed(3)} EUR`);
  });

  it('has the same bytes on another node', async () => {
    const { number } = await soldAll();
    const here = await pdfOf(number);
    const { config, clock } = server;
    const other = await startService({ config, clock, log: silentLog });
    const caller = new HttpCaller(other.address);
    try {
      const { body, headers } = await caller.send('GET', `/v1/licenses/${number}/certificate.pdf`, {
        Authorization: `Bearer ${token}`,
      });
      expect(body.equals(here)).toBe(true);
      expect(headers.etag).toMatch(/^"[0-9a-f]{64}"$/);
    } finally {
      caller.close();
      await other.close();
    }
  });

  it('is made while other requests are served, and once for parallel requests', async () => {
    const { number } = await soldAll();
    const pdfs = await Promise.all(Array.from({ length: 10 }, () => pdfOf(number)));
    for (const pdf of pdfs) expect(pdf.equals(pdfs[0]!)).toBe(true);
  });
});
