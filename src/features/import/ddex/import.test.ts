import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  type ImportBench,
  openImportBench,
  PNG,
} from '../../../../test/harness/import-bench.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { deal, dealList, ern38, ern43, header, recording43 } from './ern.test-support.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const SOURCE = 'ddex:PADPIDA2026010101A';

function image(file: string, type = 'FrontCoverImage', reference = 'A9'): string {
  return `<Image><ResourceReference>${reference}</ResourceReference><Type>${type}</Type><TechnicalDetails><File><URI>${file}</URI></File></TechnicalDetails></Image>`;
}

/** Writes the files of a release beside its message, and returns the path of the message. */
async function release(folder: string, message: string): Promise<string> {
  await bench.write(`${folder}/resources/1.wav`, wav());
  await bench.write(`${folder}/resources/cover.png`, PNG);
  return bench.write(`${folder}/${folder.split('/').at(-1)}.xml`, message);
}

async function storedTrack(index = 0) {
  const track = (await bench.tracks())[index]!;
  return { ...track, ...(await bench.store.catalog.trackRecord(String(track.id)))! };
}

describe('stave import of a DDEX message', () => {
  it('imports the recordings of ERN 4.3 with audio, cover, availability and the source of the sender', async () => {
    const recordings = [
      recording43({ file: 'resources/1.wav', duration: '' }),
      recording43({ reference: 'A2', ids: '<ISRC>DEA252600002</ISRC>', title: 'Quay' }),
    ];
    const deals = dealList(
      deal(
        '<TerritoryCode>DE</TerritoryCode><ValidityPeriod><StartDate>2026-01-01</StartDate><EndDate>2030-12-31</EndDate></ValidityPeriod>',
      ),
    );
    const images =
      image('resources/back.png', 'BackCoverImage', 'A8') + image('resources/cover.png');
    const path = await release('r1', ern43({ recordings, images, deals }));
    const readings: object[] = [];
    const { summary, rejections, notes } = await bench.run([path], {
      onReading: (reading) => readings.push(reading),
    });
    expect({ summary, rejections, notes }).toEqual({
      summary: counts(2),
      rejections: [],
      notes: [],
    });
    expect(readings).toEqual([{ path, format: 'DDEX ERN', mapping: null, source: SOURCE }]);
    const stored = await storedTrack();
    expect(stored).toMatchObject({
      name: 'Night Ferry',
      type: 'music',
      durationSeconds: 1,
      region: 'DE',
      isrc: 'DEA252600001',
      source: SOURCE,
      externalId: 'DEA252600001',
      audioKey: expect.stringMatching(/\.wav$/),
      artworkKey: expect.stringMatching(/\.png$/),
      availability: [
        { territories: ['DE'], from: Date.UTC(2026, 0, 1), until: Date.UTC(2031, 0, 1) },
      ],
    });
    expect((await storedTrack(1)).artworkKey).toBe(stored.artworkKey);
    expect((await bench.run([path])).summary).toMatchObject({ unchanged: 2 });
  });

  it('imports ERN 3.8, as the type and the source that the operator names', async () => {
    const file = '<File><FileName>1.wav</FileName><FilePath>resources/</FilePath></File>';
    const path = await release('r1', ern38({ file }));
    const options = { type: 'sfx', source: 'nord' } as const;
    expect((await bench.run([path], options)).summary).toEqual(counts(1));
    expect(await storedTrack()).toMatchObject({ type: 'sfx', source: 'nord', region: 'WORLD' });
  });

  it.each([
    ['PA-DPIDA-2026010101-A', SOURCE],
    ['<DPID>PADPIDA2026010101A</DPID>', SOURCE],
    ['0000000123456789</PartyId><PartyId>padpida2026010101a', SOURCE],
    ['nord', 'ddex:nord'],
  ])('takes the source of the sender %s from its id', async (sender, source) => {
    const path = await bench.write('a.xml', ern43({ head: header({ sender }) }));
    expect((await bench.run([path])).summary).toEqual(counts(1));
    expect(await bench.store.catalog.countLive(source)).toBe(1);
  });

  it('recognizes the messages in a folder of releases, and not other files', async () => {
    const second = recording43({ ids: '<ISRC>DEA252600002</ISRC>', file: '1.wav' });
    await release('batch/1', ern43({ recordings: [recording43({ file: 'resources/1.wav' })] }));
    await release('batch/2', ern43({ recordings: [second] }));
    await bench.write('batch/BatchComplete.xml', '');
    await bench.write('batch/manifest.xml', '<echo:ManifestMessage xmlns:echo="x"/>');
    await bench.write('batch/broken.xml', '<a');
    const readings: object[] = [];
    const { summary, rejections } = await bench.run([join(bench.folder, 'batch')], {
      onReading: (reading) => readings.push(reading),
    });
    expect(rejections).toEqual([]);
    expect(summary).toEqual(counts(2));
    expect(readings).toMatchObject([{ path: expect.stringMatching(/1\.xml and 1 more message$/) }]);
  });

  it('names the nearest file for a missing one after a hundred that exist', async () => {
    const recordings = Array.from({ length: 102 }, (_, i) => {
      const ids = `<ISRC>DEA25${String(2_600_000 + i)}</ISRC>`;
      return recording43({ reference: `A${i + 1}`, ids, file: i < 101 ? '1.wav' : 'audio/1.wav' });
    });
    const path = await release('r1', ern43({ recordings }));
    const { summary, rejections } = await bench.run([path]);
    expect(summary).toEqual(counts(101, 1));
    expect(rejections.map(({ reason }) => reason)).toEqual([
      'names "audio/1.wav", which does not exist; the nearest file is "resources/1.wav"',
    ]);
  });

  it('imports a folder without messages as tagged audio', async () => {
    await bench.write('albums/1.wav', wav());
    await bench.write('albums/notes.xml', '<notes/>');
    expect((await bench.run([join(bench.folder, 'albums')])).summary).toEqual(counts(1));
    expect((await storedTrack()).source).toBe('folder:albums');
  });

  it('finds audio by a percent-encoded URI, and never outside of the folder of the message', async () => {
    await bench.write('secret.wav', wav());
    await bench.write('r1/My Song.wav', wav());
    await mkdir(join(bench.folder, 'r1/resources'));
    await symlink(join(bench.folder, 'secret.wav'), join(bench.folder, 'r1/resources/link.wav'));
    const files = [
      'My%20Song.wav',
      '../secret.wav',
      '/etc/passwd',
      'link.wav',
      'file:///x.wav',
      '%2e%2e/secret.wav',
      'no.wav',
    ];
    const recordings = files.map((file, i) =>
      recording43({ reference: `A${i + 1}`, ids: `<ISRC>DEA25260000${i}</ISRC>`, file }),
    );
    const path = await bench.write('r1/r1.xml', ern43({ recordings }));
    const { summary, rejections } = await bench.run([path]);
    expect(summary).toEqual(counts(1, 6));
    expect(rejections.map(({ line, field, reason }) => [typeof line, field, reason])).toEqual([
      ['number', 'audio', 'must lie beneath the folder of the file that names it'],
      ['number', 'audio', 'must lie beneath the folder of the file that names it'],
      ['number', 'audio', expect.stringMatching(/does not exist|beneath/)],
      ['number', 'audio', expect.stringContaining('not a URL')],
      ['number', 'audio', expect.stringMatching(/does not exist|beneath/)],
      ['number', 'audio', 'names "no.wav", which does not exist'],
    ]);
  });

  it('rejects a recording with its line and all that is wrong with it', async () => {
    const faulty = recording43({
      ids: '<ISRC>DE-1</ISRC>',
      title: '',
      duration: '<Duration>3:05</Duration>',
    });
    const deals = dealList(deal('<ExcludedTerritoryCode>US-CA</ExcludedTerritoryCode>'));
    const path = await bench.write('a.xml', ern43({ recordings: [faulty], deals }));
    expect((await bench.run([path])).rejections).toEqual([
      {
        file: path,
        line: 20,
        field: 'availability',
        reason:
          'cannot be read: the deal in line 46 excludes the territory "US-CA", which is no country of ISO 3166-1; durationSeconds must be an ISO 8601 duration such as PT3M5S; it is "3:05"; name is missing; isrc must be an ISRC such as USUAN1100001; it is "DE-1"',
      },
    ]);
  });

  it('notes what it leaves out: deals for what is no country, and that a message is a test', async () => {
    const head = header({ more: '<MessageControlType>TestMessage</MessageControlType>' });
    const deals = dealList(
      deal('<TerritoryCode>XK</TerritoryCode><TerritoryCode>276</TerritoryCode>'),
    );
    const path = await bench.write('a.xml', ern43({ head, deals }));
    const { summary, notes } = await bench.run([path]);
    expect(summary).toEqual(counts(1));
    expect(notes).toEqual([
      `${path}: the sender marks this message as a test (TestMessage)`,
      `${path}: deals for what is no country of ISO 3166-1 were left out: "XK"`,
    ]);
    expect(await storedTrack()).toMatchObject({
      region: 'DE',
      availability: [{ territories: ['DE'] }],
    });
  });

  it.each([
    'http://ddex.net/xml/ern/37',
    'http://ddex.net/xml/ern/371',
    'http://ddex.net/xml/ern/37D2',
  ])('reads %s as ERN 3.8, with a note', async (namespace) => {
    const message = ern38().replace('http://ddex.net/xml/ern/382', namespace);
    const path = await bench.write('a.xml', message);
    const { summary, notes } = await bench.run([path]);
    expect(summary).toEqual(counts(1));
    expect(notes[0]).toMatch(/a\.xml: DDEX ERN 3\.7(\.1)? is read as 3\.8/);
  });

  it.each([
    [
      'http://ddex.net/xml/ern/36',
      'the file is in DDEX ERN 3.6; only 3.7, 3.8, 4.1, 4.2 and 4.3 are read',
    ],
    ['http://ddex.net/xml/ern/351', 'the file is in DDEX ERN 3.5.1; only'],
    ['http://ddex.net/xml/2010/ern-main/32', 'the file is in DDEX ERN 3.2; only'],
    ['http://ddex.net/xml/ern/5', 'the file is in DDEX ERN 5; only'],
    ['http://example.com/', 'the file is a NewReleaseMessage that names no version of DDEX ERN'],
  ])('refuses the version of %s', async (namespace, reason) => {
    const path = await bench.write('a.xml', ern43({ namespace }));
    expect((await bench.run([path])).rejections).toEqual([
      { file: path, line: null, field: '', reason: expect.stringContaining(reason) },
    ]);
  });

  it.each(['38', '381', '382', '383', '41', '411', '42', '43', '431', '432'])(
    'reads the version %s',
    async (version) => {
      const namespace = `http://ddex.net/xml/ern/${version}`;
      const path = await bench.write('a.xml', ern43({ namespace }));
      expect((await bench.run([path])).summary).toEqual(counts(1));
    },
  );

  it.each<[string, string | Uint8Array, string]>([
    [
      'a message without a sender',
      ern43({ head: header({ sender: '' }) }),
      'name a source with --source',
    ],
    ['a message without a header', ern43({ head: '' }), 'the message has no MessageHeader'],
    [
      'a message without recordings',
      ern43({ recordings: [] }),
      'the message has no sound recording',
    ],
    ['a message that breaks off', ern43().slice(0, -200), 'the XML is not well-formed'],
    [
      'a document type declaration',
      ern43().replace('<ern:', '<!DOCTYPE a [<!ENTITY b "c">]><ern:'),
      'document type declaration',
    ],
    ['another XML file', '<a/>', 'the file is XML, which is not read'],
  ])('refuses %s', async (_, message, reason) => {
    const path = await bench.write('a.xml', message);
    const { summary, rejections } = await bench.run([path]);
    expect(summary).toEqual({ ...counts(0), rejected: 1 });
    expect(rejections).toEqual([
      expect.objectContaining({ file: path, field: '', reason: expect.stringContaining(reason) }),
    ]);
  });

  it('imports the other messages of a folder if one breaks off, and then prunes nothing', async () => {
    await bench.write('batch/a.xml', ern43());
    const second = [recording43({ ids: '<ISRC>DEA252600002</ISRC>' })];
    const broken = await bench.write('batch/b.xml', ern43({ recordings: second }));
    const folder = join(bench.folder, 'batch');
    expect((await bench.run([folder], { source: 'nord' })).summary).toEqual(counts(2));
    await bench.write('batch/b.xml', ern43({ recordings: second }).slice(0, -100));
    const options = { source: 'nord', prune: true, pruneLimit: 10 };
    const { summary, rejections, notes } = await bench.run([folder], options);
    expect(summary).toMatchObject({ unchanged: 1, rejected: 1, withdrawn: 0 });
    expect(rejections).toMatchObject([{ file: broken, line: expect.any(Number) }]);
    expect(notes).toEqual([`nothing was withdrawn: ${broken} could not be read`]);
    await rm(broken);
    expect((await bench.run([folder], options)).summary).toMatchObject({ withdrawn: 1 });
  });
});
