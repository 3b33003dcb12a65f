import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  type ImportBench,
  openImportBench,
  PNG,
} from '../../../../test/harness/import-bench.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { deal, dealList, ern38, ern43, header, purge, recording43 } from './ern.test-support.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const TAKE_DOWN = deal('<TerritoryCode>Worldwide</TerritoryCode><TakeDown>true</TakeDown>');
const ENDED = deal(
  '<TerritoryCode>Worldwide</TerritoryCode><ValidityPeriod><StartDate>2026-01-01</StartDate><EndDate>2026-11-20</EndDate></ValidityPeriod>',
);
const CANCELLED = deal(
  '<TerritoryCode>Worldwide</TerritoryCode><ValidityPeriod><StartDate>2027-01-01</StartDate><EndDate>2026-01-01</EndDate></ValidityPeriod>',
);
const LAST_DAY = ENDED.replace('2026-11-20', '2026-11-21');
const at = (createdAt: string) => header({ createdAt });
const second = recording43({ reference: 'A2', ids: '<ISRC>DEA252600002</ISRC>', title: 'Quay' });

const importText = async (message: string, name = 'a.xml', options: object = {}) =>
  bench.run([await bench.write(name, message)], options);

async function states(): Promise<Record<string, number>> {
  const { live, withdrawn } = await bench.store.catalog.counts();
  return { live, withdrawn };
}

describe('a later DDEX message', () => {
  it('updates the recordings that it lists, and leaves audio that it does not contain', async () => {
    await importText(ern43());
    const updated = ern43({ recordings: [recording43({ title: 'Day Ferry' })] });
    expect((await importText(updated)).summary).toMatchObject({ created: 0, updated: 1 });
    expect((await bench.tracks()).map(({ name }) => name)).toEqual(['Day Ferry']);
  });

  it('leaves the audio that it names and says that it does not contain', async () => {
    await bench.write('1.wav', wav());
    await importText(ern43({ recordings: [recording43({ file: '1.wav' })] }));
    const audioOf = async () => {
      const [track] = await bench.tracks();
      return (await bench.store.catalog.trackRecord(String(track!.id)))!.audioKey;
    };
    const before = await audioOf();
    expect(before).not.toBe(null);
    const update = recording43({ title: 'Day Ferry', file: '2.wav' }).replace(
      '</DeliveryFile>',
      '<IsProvidedInDelivery>false</IsProvidedInDelivery></DeliveryFile>',
    );
    const { summary, rejections } = await importText(ern43({ recordings: [update] }));
    expect({ summary, rejections }).toMatchObject({ summary: { updated: 1 }, rejections: [] });
    expect(await audioOf()).toBe(before);
  });

  it.each([
    ['takes the release down', ern38({ deals: dealList(TAKE_DOWN) })],
    ['takes the release down beside other deals', ern38({ deals: dealList(deal(), TAKE_DOWN) })],
    ['has no deals', ern43({ deals: '' })],
    ['has only deals that have ended', ern43({ deals: dealList(ENDED) })],
    ['has only deals that end before they begin', ern43({ deals: dealList(CANCELLED) })],
  ])('withdraws the track if it %s, and a deal restores it', async (_, message) => {
    await importText(ern43());
    const dry = await importText(message, 'b.xml', { dryRun: true });
    expect(dry.summary).toEqual({ ...counts(0), withdrawn: 1 });
    expect(await states()).toEqual({ live: 1, withdrawn: 0 });
    const { summary, rejections, notes } = await importText(message, 'b.xml');
    expect({ summary, rejections }).toEqual({
      summary: { ...counts(0), withdrawn: 1 },
      rejections: [],
    });
    expect(notes).toEqual([
      expect.stringMatching(/^1 recording has no deal .* the first in \S+b\.xml:\d+: their tracks/),
    ]);
    expect(await states()).toEqual({ live: 0, withdrawn: 1 });
    expect((await importText(message, 'b.xml')).summary).toEqual(counts(0));
    expect((await importText(ern43())).summary).toMatchObject({ updated: 1 });
    expect(await states()).toEqual({ live: 1, withdrawn: 0 });
  });

  it('creates no track for a recording without a deal', async () => {
    const { summary } = await importText(ern43({ deals: '' }));
    expect(summary).toEqual(counts(0));
    expect(await states()).toEqual({ live: 0, withdrawn: 0 });
  });

  it('leaves a track live on the last day of its deal', async () => {
    expect((await importText(ern43({ deals: dealList(LAST_DAY) }))).summary).toEqual(counts(1));
  });

  it('never withdraws the track of another source', async () => {
    await importText(ern43(), 'a.xml', { source: 'other' });
    expect((await importText(ern43({ deals: '' }))).summary).toEqual(counts(0));
    expect(await states()).toEqual({ live: 1, withdrawn: 0 });
  });

  it('is undone as a whole', async () => {
    await importText(ern43({ recordings: [recording43(), second] }));
    let batch = '';
    const onBatch = (id: string) => {
      batch = id;
    };
    await importText(ern43({ recordings: [recording43(), second], deals: '' }), 'b.xml', {
      onBatch,
    });
    expect(await states()).toEqual({ live: 0, withdrawn: 2 });
    await bench.store.batches.undo(batch, { by: 'test:import' });
    expect(await states()).toEqual({ live: 2, withdrawn: 0 });
  });

  it('counts what it withdraws once in a dry run with --prune', async () => {
    const source = 'nord';
    await importText(ern43({ recordings: [recording43(), second] }), 'a.xml', { source });
    const options = { source, prune: true, pruneLimit: 5, dryRun: true };
    const { summary } = await importText(ern43({ deals: '' }), 'a.xml', options);
    expect(summary).toMatchObject({ read: 0, withdrawn: 2 });
    const { summary: real } = await importText(ern43({ deals: '' }), 'a.xml', {
      ...options,
      dryRun: false,
    });
    expect(real).toMatchObject({ read: 0, withdrawn: 2 });
  });

  it('withdraws nothing if --strict finds a rejection', async () => {
    await importText(ern43({ recordings: [recording43(), second] }));
    const faulty = recording43({ reference: 'A2', ids: '<ISRC>X</ISRC>' });
    await bench.write('batch/a.xml', ern43({ deals: '' }));
    await bench.write('batch/b.xml', ern43({ recordings: [faulty] }));
    const { summary } = await bench.run([join(bench.folder, 'batch')], { strict: true });
    expect(summary).toMatchObject({ created: 0, updated: 0, unchanged: 0, rejected: 1 });
    expect(summary.withdrawn).toBeUndefined();
    expect(await states()).toEqual({ live: 2, withdrawn: 0 });
  });
});

describe('several DDEX messages of one import', () => {
  const march = at('2026-03-01T12:00:00+01:00');
  const april = at('2026-04-01T12:00:00Z');
  const newer = ern43({ head: april, recordings: [recording43({ title: 'New' })] });

  it('count in the order of their creation, whatever their names and paths', async () => {
    const older = await bench.write(
      'z/old.xml',
      ern43({ head: march, recordings: [recording43(), second] }),
    );
    const paths = [await bench.write('a/new.xml', newer), older];
    const { summary, rejections, notes } = await bench.run(paths);
    expect(rejections).toEqual([]);
    expect(summary).toEqual(counts(2));
    expect(notes).toEqual([
      'passed over 1 recording of older messages that a newer message of this import lists',
    ]);
    expect((await bench.tracks()).map(({ name }) => name)).toEqual(['New', 'Quay']);
  });

  it('give a track the audio of the newest one that has it, and the cover of the newest one', async () => {
    await bench.write('1/1.wav', wav());
    await bench.write('1/old.png', PNG);
    await bench.write('2/new.png', Buffer.concat([PNG, Buffer.alloc(1)]));
    const cover = (file: string) =>
      `<Image><ResourceReference>A9</ResourceReference><Type>FrontCoverImage</Type><TechnicalDetails><File><URI>${file}</URI></File></TechnicalDetails></Image>`;
    const offered = recording43({ file: '1.wav', title: 'Old' });
    const withoutAudio = recording43({
      reference: 'A2',
      ids: '<ISRC>DEA252600002</ISRC>',
      title: 'Quay',
    });
    const updated = recording43({ title: 'New' });
    const february = at('2026-02-01T00:00:00Z');
    const paths = [
      await bench.write('0/a.xml', ern43({ head: february, recordings: [withoutAudio] })),
      await bench.write(
        '1/a.xml',
        ern43({ head: march, recordings: [offered, withoutAudio], images: cover('old.png') }),
      ),
      await bench.write(
        '2/a.xml',
        ern43({ head: april, recordings: [updated, withoutAudio], images: cover('new.png') }),
      ),
      await bench.write(
        '3/a.xml',
        ern43({ head: at('2026-04-02T00:00:00Z'), recordings: [updated] }),
      ),
    ];
    const { summary, rejections } = await bench.run(paths);
    expect({ summary, rejections }).toEqual({ summary: counts(2), rejections: [] });
    const tracks = await bench.tracks();
    const stored = await Promise.all(
      tracks.map(({ id }) => bench.store.catalog.trackRecord(String(id))),
    );
    expect(tracks.map(({ name }) => name)).toEqual(['New', 'Quay']);
    expect(stored[0]!.audioKey).toMatch(/\.wav$/);
    expect(stored[1]!.audioKey).toBe(null);
    const keys = await bench.mediaKeys();
    expect(keys).toContain(stored[0]!.artworkKey);
    // The second track has no audio in any message, and the cover of the newest one that lists it.
    expect(stored[1]!.artworkKey).toBe(stored[0]!.artworkKey);
    expect((await bench.run(paths)).summary).toMatchObject({ created: 0, updated: 0 });
    const { notes } = await importText(ern43({ head: march, recordings: [offered] }));
    expect(notes).toHaveLength(1);
  });

  it('withdraw a track that only an older one still offers, and restore one that a newer one offers', async () => {
    await importText(ern43());
    const takenDown = await bench.write('b.xml', ern43({ head: april, deals: '' }));
    const offered = await bench.write('a.xml', ern43({ head: march }));
    expect((await bench.run([offered, takenDown])).summary).toEqual({ ...counts(0), withdrawn: 1 });
    await bench.write('a.xml', newer);
    await bench.write('b.xml', ern43({ head: march, deals: '' }));
    expect((await bench.run([offered, takenDown])).summary).toMatchObject({ updated: 1 });
    expect(await states()).toEqual({ live: 1, withdrawn: 0 });
  });

  it('of several senders have their own sources', async () => {
    await bench.write('batch/a.xml', ern43());
    await bench.write('batch/b.xml', ern43({ head: header({ sender: 'PADPIDA2026010103C' }) }));
    expect((await bench.run([join(bench.folder, 'batch')])).summary).toEqual(counts(2));
    expect(await bench.store.catalog.countLive('ddex:PADPIDA2026010103C')).toBe(1);
  });
});

describe('a purge of a release', () => {
  it('withdraws the track with its ISRC', async () => {
    await importText(ern43({ recordings: [recording43(), second] }));
    const message = purge('<ISRC>DE-A25-26-00001</ISRC>');
    expect((await importText(message, 'p.xml')).summary).toEqual({ ...counts(0), withdrawn: 1 });
    expect((await bench.tracks()).map(({ name }) => name)).toEqual(['Quay']);
  });

  it('withdraws the recordings of the release that the same import describes', async () => {
    const release = await bench.write('a.xml', ern43({ recordings: [recording43(), second] }));
    await bench.run([release]);
    const message = await bench.write('p.xml', purge('<ICPN>04012345678901</ICPN>'));
    const { summary, rejections, notes } = await bench.run([message, release]);
    expect({ rejections, notes }).toEqual({ rejections: [], notes: [] });
    expect(summary).toEqual({ ...counts(0), withdrawn: 2 });
  });

  it('withdraws recordings of the release whatever else is wrong with them', async () => {
    await importText(ern43());
    const recordings = [recording43({ title: '', duration: '<Duration>x</Duration>' })];
    const release = await bench.write('a.xml', ern43({ recordings }));
    const message = await bench.write('p.xml', purge('<ICPN>04012345678901</ICPN>'));
    const { summary } = await bench.run([message, release]);
    expect(summary).toEqual({ ...counts(0), withdrawn: 1 });
  });

  it('does not concern a release that is newer than the purge', async () => {
    const release = await bench.write('a.xml', ern43({ head: at('2026-06-01T00:00:00Z') }));
    const message = await bench.write('p.xml', purge('<ICPN>04012345678901</ICPN>'));
    const { summary, rejections } = await bench.run([message, release]);
    expect(summary).toEqual(counts(1, 0));
    expect(rejections).toEqual([]);
  });

  it('is rejected if nothing shows the recordings of the release', async () => {
    const { rejections } = await importText(purge('<GRid>A1ABCDE0000000001Z</GRid>'), 'p.xml');
    expect(rejections).toEqual([
      {
        file: expect.stringMatching(/p\.xml$/),
        line: expect.any(Number),
        field: '',
        reason:
          'the message purges the release "GRid A1ABCDE0000000001Z", of which Stave does not know the recordings: import it together with the last message of the release',
      },
    ]);
  });
});
