import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../../test/harness/import-bench.ts';
import { newId } from '../../../common/ids.ts';
import { type TestCell, xlsx } from '../decode/xlsx.test-support.ts';
import type { Rejection } from '../item.ts';
import { importLicenseRecords } from './license-import.ts';

let bench: ImportBench;
let slug: string;
let trackId: string;
let clientId: string;

beforeEach(async () => {
  bench = await openImportBench();
  await bench.run([
    await bench.write('tracks.ndjson', ndjson(record('1', { name: 'Night Rain' }))),
  ]);
  const [track] = await bench.tracks();
  slug = String(track!.slug);
  trackId = String(track!.id);
  clientId = newId();
  await bench.store.clients.create(
    {
      id: clientId,
      name: 'Acme',
      scopes: [],
      features: [],
      rateLimit: null,
      account: null,
      rateCard: null,
      spendingLimit: null,
      enabled: true,
      createdAt: bench.clock.now(),
      secrets: [],
      playlistIds: [],
    },
    'test:licenses',
  );
});
afterEach(() => bench.close());

const sold = (externalId: string, more: object = {}) => ({
  externalId,
  track: slug,
  mode: 'live',
  licensedAt: '2026-11-02T10:00:00Z',
  ...more,
});

async function run(...paths: string[]) {
  const rejections: Rejection[] = [];
  const summary = await importLicenseRecords({
    paths,
    licenses: bench.store.licenses,
    catalog: bench.store.catalog,
    clients: bench.store.clients,
    by: 'test:licenses',
    onRejection: (rejection) => rejections.push(rejection),
  });
  return { summary, rejections };
}

describe('a license import', () => {
  it('creates licenses, changes nothing the second time, then corrects them', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson(sold('1'), sold('2', { track: trackId.toUpperCase(), client: clientId })),
    );
    expect((await run(path)).summary).toEqual({
      read: 2,
      created: 2,
      updated: 0,
      unchanged: 0,
      rejected: 0,
    });
    expect(await bench.store.licenses.mostLicensed('live', null)).toEqual([
      { trackId, licenseCount: 2 },
    ]);
    expect((await run(path)).summary).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
    await bench.write('a.ndjson', ndjson(sold('1', { mode: 'test' })));
    expect((await run(path)).summary).toMatchObject({ updated: 1 });
    expect(await bench.store.licenses.mostLicensed('live', null)).toEqual([
      { trackId, licenseCount: 1 },
    ]);
  });

  it('reads an Excel workbook', async () => {
    const heading = ['externalId', 'track', 'mode', 'licensedAt', 'client'];
    const rows: TestCell[][] = [
      heading,
      [9, slug, 'live', [46_000, 1], null],
      ['x', 'none', 'live', 'y', null],
    ];
    const path = await bench.write('a.xlsx', await xlsx([{ name: 'Sold', rows }]));
    const { summary, rejections } = await run(path);
    expect(summary).toMatchObject({ created: 1, rejected: 1 });
    expect(rejections).toMatchObject([{ line: 3, field: 'licensedAt' }]);
  });

  it('reads JSON and CSV, compressed or not', async () => {
    const csv = `externalId,track,mode,licensedAt,client\n7,${slug},live,2026-11-02,\n8,${slug},test,2026,${clientId}\n`;
    const { summary, rejections } = await run(
      await bench.write('a.json', JSON.stringify({ licenses: [sold('5'), sold('6')] })),
      await bench.write('b.csv.gz', gzipSync(csv)),
    );
    expect(rejections).toEqual([]);
    expect(summary).toMatchObject({ read: 4, created: 4 });
  });

  it('rejects ids by which licenses that were sold through the API are counted', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson(sold(' license:2026-000001-7K2QX9MD:1'), sold('License:1'), sold('license')),
    );
    const { summary, rejections } = await run(path);
    expect(summary).toMatchObject({ created: 2, rejected: 1 });
    expect(rejections).toMatchObject([
      { line: 1, field: 'externalId', reason: expect.stringContaining('license:') },
    ]);
  });

  it('rejects invalid records with their field and imports the others', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson(
        sold('1'),
        sold('2', { track: 'no-such-track' }),
        sold('3', { mode: 'Live' }),
        sold('4', { licensedAt: 'yesterday' }),
        sold('5', { client: newId() }),
        { track: slug, mode: 'live', licensedAt: '2026' },
        42,
        sold('1', { mode: 'test' }),
        sold('1'),
      ),
    );
    const { summary, rejections } = await run(path);
    expect(summary).toEqual({ read: 9, created: 1, updated: 0, unchanged: 1, rejected: 7 });
    expect(rejections.map(({ line, field, reason }) => `${line} ${field} ${reason}`)).toEqual([
      '2 track names no track of the catalog; it is "no-such-track"',
      '3 mode must be `test` or `live`',
      expect.stringMatching(/^4 licensedAt must be a date such as .*; it is "yesterday"$/),
      expect.stringMatching(/^5 client names no client/),
      '6 externalId is missing',
      '7  must be a JSON object',
      '8 externalId names a license that this import has delivered already, with other values',
    ]);
  });

  it('refuses files without licenses, and folders', async () => {
    const path = await bench.write('a.ndjson', ndjson(record('1')));
    const empty = await bench.write('b.ndjson', '');
    const { summary, rejections } = await run(path, empty);
    expect(summary).toEqual({ read: 0, created: 0, updated: 0, unchanged: 0, rejected: 2 });
    expect(rejections.map(({ line, reason }) => [line, reason])).toEqual([
      [null, expect.stringContaining('holds no license records')],
      [null, expect.stringContaining('is empty')],
    ]);
    await expect(run(bench.folder)).rejects.toThrow('is not a file of licenses');
  });
});
