import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../test/harness/import-bench.ts';
import { newId } from '../kernel/ids.ts';
import { importLicenceRecords } from './licence-import.ts';
import type { Rejection } from './rejection.ts';

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
      enabled: true,
      createdAt: bench.clock.now(),
      secrets: [],
      playlistIds: [],
    },
    'test:licences',
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
  const summary = await importLicenceRecords({
    paths,
    licences: bench.store.licences,
    catalog: bench.store.catalog,
    clients: bench.store.clients,
    by: 'test:licences',
    onRejection: (rejection) => rejections.push(rejection),
  });
  return { summary, rejections };
}

describe('a licence import', () => {
  it('creates, then changes nothing, then corrects', async () => {
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
    expect(await bench.store.licences.mostLicensed('live', null)).toEqual([
      { trackId, licenseCount: 2 },
    ]);
    expect((await run(path)).summary).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
    await bench.write('a.ndjson', ndjson(sold('1', { mode: 'test' })));
    expect((await run(path)).summary).toMatchObject({ updated: 1 });
    expect(await bench.store.licences.mostLicensed('live', null)).toEqual([
      { trackId, licenseCount: 1 },
    ]);
  });

  it('reads JSON and CSV, packed or not', async () => {
    const csv = `externalId,track,mode,licensedAt,client\n7,${slug},live,2026-11-02,\n8,${slug},test,2026,${clientId}\n`;
    const { summary, rejections } = await run(
      await bench.write('a.json', JSON.stringify({ licences: [sold('5'), sold('6')] })),
      await bench.write('b.csv.gz', gzipSync(csv)),
    );
    expect(rejections).toEqual([]);
    expect(summary).toMatchObject({ read: 4, created: 4 });
  });

  it('rejects bad records with their field and takes the others', async () => {
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
      '8 externalId names a licence that this import has delivered already, with other values',
    ]);
  });

  it('refuses files without licences, and folders', async () => {
    const path = await bench.write('a.ndjson', ndjson(record('1')));
    const empty = await bench.write('b.ndjson', '');
    const { summary, rejections } = await run(path, empty);
    expect(summary).toEqual({ read: 0, created: 0, updated: 0, unchanged: 0, rejected: 2 });
    expect(rejections.map(({ line, reason }) => [line, reason])).toEqual([
      [null, expect.stringContaining('holds no licence records')],
      [null, expect.stringContaining('is empty')],
    ]);
    await expect(run(bench.folder)).rejects.toThrow('is no file of licences');
  });
});
