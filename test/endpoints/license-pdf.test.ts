import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../src/app/service.ts';
import { silentLog } from '../../src/common/log.ts';
import { delivery } from '../harness/catalog.ts';
import { HttpCaller } from '../harness/http.ts';
import { publishCard } from '../harness/licensing.ts';
import { HAS_POPPLER } from '../harness/poppler.ts';
import { sell } from '../harness/sold-licenses.ts';
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
  sell(server, token, { tracks: TRACKS.map(({ id }) => id), project, licensee });

const pdfOf = async (number: string) =>
  (await server.call('readCertificatePdf', { token, params: { number } })).body;

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
      ...[license.number, 'Größe & Söhne GmbH', 'PO-4711', 'online, social', '2026-1'],
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
