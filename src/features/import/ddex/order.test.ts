import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  type ImportBench,
  openImportBench,
} from '../../../../test/harness/import-bench.ts';
import { dealList, ern38, ern43, header, purge, recording43 } from './ern.test-support.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const MARCH = '2026-03-01T12:00:00Z';
const APRIL = '2026-04-01T12:00:00Z';
const JUNE = '2026-06-01T12:00:00Z';
const at = (createdAt: string) => header({ createdAt });
const titled = (title: string, createdAt: string) =>
  ern43({ head: at(createdAt), recordings: [recording43({ title })] });
const ISRC = 'DEA252600001';
const second = recording43({ reference: 'A2', ids: '<ISRC>DEA252600002</ISRC>', title: 'Quay' });

let batch = '';
const importText = async (message: string, options: object = {}) => {
  const onBatch = (id: string) => {
    batch = id;
  };
  return bench.run([await bench.write('a.xml', message)], { onBatch, ...options });
};
const names = async () => (await bench.tracks()).map(({ name }) => name);
const PASSED_OVER = [
  expect.stringMatching(
    /^passed over 1 recording about which an earlier import had a newer message, the first in \S+a\.xml:\d+$/,
  ),
];

describe('a DDEX message that is older than that of an earlier import', () => {
  it('is passed over, and the note names it', async () => {
    await importText(titled('New', APRIL));
    const { summary, rejections, notes } = await importText(titled('Old', MARCH));
    expect({ summary, rejections }).toEqual({ summary: counts(0), rejections: [] });
    expect(notes).toEqual(PASSED_OVER);
    expect(await names()).toEqual(['New']);
    expect((await importText(titled('New', APRIL))).summary).toMatchObject({ unchanged: 1 });
    expect((await importText(titled('Same time', APRIL))).summary).toMatchObject({ updated: 1 });
  });

  it('does not withdraw a track, nor bring one back that was taken down', async () => {
    await importText(titled('New', APRIL));
    const down = (createdAt: string) => ern43({ head: at(createdAt), deals: '' });
    const { summary, notes } = await importText(down(MARCH));
    expect(summary).toEqual(counts(0));
    expect(notes).toEqual(PASSED_OVER);
    expect(await names()).toEqual(['New']);
    expect((await importText(down(JUNE))).summary).toMatchObject({ withdrawn: 1 });
    expect((await importText(titled('Old', APRIL))).notes).toEqual(PASSED_OVER);
    expect(await names()).toEqual([]);
  });

  it('creates no track that a newer message took down before it was known', async () => {
    await importText(ern38({ head: at(APRIL), deals: '' }));
    expect((await importText(titled('Old', MARCH))).notes).toEqual(PASSED_OVER);
    expect(await names()).toEqual([]);
  });

  it('decides about recordings that the newer one does not list', async () => {
    await importText(titled('New', APRIL));
    const older = ern43({ head: at(MARCH), recordings: [recording43(), second] });
    expect((await importText(older)).summary).toEqual(counts(1));
    expect(await names()).toEqual(['New', 'Quay']);
  });

  it('decides about the tracks of another source', async () => {
    await importText(titled('New', APRIL));
    expect((await importText(titled('Old', MARCH), { source: 'other' })).summary).toEqual(
      counts(1),
    );
  });

  it('counts as a listing for a prune', async () => {
    const source = 'nord';
    await importText(titled('New', APRIL), { source });
    const options = { source, prune: true, pruneLimit: 5 };
    for (const dryRun of [true, false]) {
      const { summary } = await importText(titled('Old', MARCH), { ...options, dryRun });
      expect(summary).toEqual({ ...counts(0), withdrawn: 0 });
    }
  });

  it('counts again after an undo of the import with the newer one', async () => {
    await importText(titled('Old', MARCH));
    await importText(titled('New', APRIL));
    await bench.store.batches.undo(batch, { by: 'test:import' });
    expect(await names()).toEqual(['Old']);
    expect((await importText(titled('Older', MARCH))).summary).toMatchObject({ updated: 1 });
  });

  it('does not exist for a dry run, nor for a strict import that is refused', async () => {
    await importText(titled('New', APRIL), { dryRun: true });
    const faulty = ern43({ head: at(APRIL), recordings: [recording43({ title: '' }), second] });
    expect((await importText(faulty, { strict: true })).summary).toMatchObject({ created: 0 });
    expect((await importText(titled('Old', MARCH))).summary).toEqual(counts(1));
  });

  it('is not one that follows a message from the future, or without a date', async () => {
    await importText(titled('Wrong clock', '2099-01-01T00:00:00Z'));
    const clock = { now: () => Date.UTC(2026, 10, 22) };
    const next = titled('Next', '2026-11-21T12:00:00Z');
    expect((await importText(next, { clock })).summary).toMatchObject({ updated: 1 });
    expect((await importText(titled('Undated', ''))).notes).toEqual(PASSED_OVER);
    await importText(titled('Undated', ''), { source: 'other' });
    const { summary } = await importText(titled('Undated too', ''), { source: 'other' });
    expect(summary).toMatchObject({ updated: 1 });
  });
});

describe('a purge of a release of an earlier import', () => {
  const ICPN = '<ICPN>04012345678901</ICPN>';
  const whole = (createdAt: string) =>
    ern43({ head: at(createdAt), recordings: [recording43(), second] });

  it.each([ICPN, `${ICPN}<GRid>A1ABCDE0000000009Z</GRid>`])(
    'withdraws its tracks by %s, once, and older messages do not bring them back',
    async (id) => {
      await importText(whole(MARCH));
      const message = purge(id, APRIL);
      expect((await importText(message, { dryRun: true })).summary).toMatchObject({ withdrawn: 2 });
      const { summary, rejections, notes } = await importText(message);
      expect({ summary, rejections, notes }).toEqual({
        summary: { ...counts(0), withdrawn: 2 },
        rejections: [],
        notes: [],
      });
      expect((await importText(message)).summary).toEqual(counts(0));
      expect((await importText(whole(MARCH))).summary).toEqual(counts(0));
      expect(await names()).toEqual([]);
      expect((await importText(whole(JUNE))).summary).toMatchObject({ updated: 2 });
    },
  );

  it('leaves tracks about which a newer message, or one of another release, decided', async () => {
    const product = `<Release><ReleaseReference>R0</ReleaseReference><ReleaseType>Single</ReleaseType><ReleaseId><ICPN>04012345678999</ICPN><CatalogNumber>N 1</CatalogNumber></ReleaseId></Release>`;
    await importText(whole(MARCH));
    await importText(ern43({ head: at('2026-03-02T00:00:00Z'), releases: product }));
    expect((await importText(purge(ICPN, APRIL))).summary).toMatchObject({ withdrawn: 1 });
    expect(await names()).toEqual(['Night Ferry']);
    await importText(ern43({ head: at(JUNE), releases: product }));
    const older = await importText(purge(`<ISRC>${ISRC}</ISRC>`, APRIL));
    expect([older.summary, older.notes]).toEqual([counts(0), PASSED_OVER]);
    const catalogNumber = '<CatalogNumber>N 1</CatalogNumber>';
    const unique = purge(`<GRid>A1ABCDE0000000009Z</GRid>${catalogNumber}`, '2026-07-01T00:00:00Z');
    expect((await importText(unique)).summary).toMatchObject({ rejected: 1 });
    const weak = purge(catalogNumber, '2026-07-01T00:00:00Z');
    expect((await importText(weak)).summary).toMatchObject({ withdrawn: 1 });
  });

  it('never withdraws tracks of another source', async () => {
    await importText(whole(MARCH), { source: 'other' });
    const { summary } = await importText(purge(ICPN, APRIL));
    expect(summary).toEqual({ ...counts(0), rejected: 1 });
    expect(await names()).toHaveLength(2);
  });

  it('withdraws hundreds of tracks', async () => {
    const recordings = Array.from({ length: 250 }, (_, i) =>
      recording43({ reference: `A${i + 1}`, ids: `<ISRC>DEA2526${10_000 + i}</ISRC>` }),
    );
    const deals = dealList(ern43().match(/<Deal>.*<\/Deal>/s)![0]);
    await importText(ern43({ head: at(MARCH), recordings, deals }));
    expect((await importText(purge(ICPN, APRIL))).summary).toMatchObject({ withdrawn: 250 });
  });

  it('concerns only the recordings of its release if a message has several', async () => {
    const product = (reference: string, icpn: string, resource: string) =>
      `<Release><ReleaseReference>${reference}</ReleaseReference><ReleaseType>Album</ReleaseType><ReleaseId><ICPN>${icpn}</ICPN></ReleaseId><ReleaseResourceReferenceList><ReleaseResourceReference>${resource}</ReleaseResourceReference></ReleaseResourceReferenceList></Release>`;
    const releases = product('R0', '04012345678901', 'A1') + product('R2', '2', 'A2');
    const deals = ern43().match(/<DealList>.*<\/DealList>/s)![0];
    const other = deals
      .replace('R0</DealReleaseReference>', 'R2</DealReleaseReference>')
      .replace(/<\/?DealList>/g, '');
    const message = ern43({
      head: at(MARCH),
      recordings: [recording43(), second],
      releases,
      deals: deals.replace('</DealList>', `${other}</DealList>`),
    });
    const paths = [
      await bench.write('b.xml', message),
      await bench.write('p.xml', purge(ICPN, APRIL)),
    ];
    const { summary, rejections } = await bench.run(paths);
    expect(rejections).toEqual([]);
    expect(summary).toMatchObject({ created: 1 });
    expect(await names()).toEqual(['Quay']);
  });
});
