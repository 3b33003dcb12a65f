import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mp3 } from '../../../../test/harness/clips.ts';
import {
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../../test/harness/import-bench.ts';
import { type ExplainOptions, explainImport } from './explain.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

async function explain(
  name: string,
  content: string | Uint8Array,
  options: Partial<ExplainOptions> = {},
) {
  const path = await bench.write(name, content);
  const explanation = await explainImport({ path, clock: bench.clock, ...options });
  const facts = Object.fromEntries(explanation.facts.map(({ what, is }) => [what, is]));
  return { ...explanation, facts };
}

describe('the explanation of an import', () => {
  it('says how a sheet is read, and why', async () => {
    const sheet = [
      'Delivery of May',
      'ISRC;Title;BPM;Colour',
      'USUAN1100001;One;120;red',
      'USUAN1100002;Two;fast;',
      'X;;90;blue',
    ];
    const told = await explain('sheet.csv.gz', gzipSync(sheet.join('\n')), { source: 'acme' });
    expect(told.facts).toMatchObject({
      format: 'CSV, compressed with gzip',
      delimiter: '";"',
      heading: 'line 2; the lines above it are titles and passed over',
      encoding: 'UTF-8',
      mapping: 'isrc-title, a shipped mapping, because the records have "ISRC", "Title"',
      source: 'acme, because --source names it',
    });
    expect(told).toMatchObject({ records: 3, isWhole: true });
    expect(told.first.map(({ line, track }) => [line, track !== null])).toEqual([
      [3, true],
      [4, true],
      [5, false],
    ]);
    expect(told.first[0]!.track).toMatchObject({
      source: 'acme',
      isrc: 'USUAN1100001',
      bpm: '120',
    });
    expect(told.unused).toEqual([{ member: 'Colour', records: 2, example: 'red' }]);
    expect(told.unread).toContainEqual({
      rule: 'fields.bpm',
      member: 'BPM',
      records: 1,
      example: 'fast',
      line: 4,
    });
    expect(told.rejected).toMatchObject([{ records: 1, line: 5 }]);
  });

  it('names the list of a document and what a given mapping does not use', async () => {
    const mapFile = await bench.write(
      'map.json',
      JSON.stringify({
        name: 'acme',
        fields: { externalId: 'no', name: 'about.title' },
        artists: [{ each: 'people', name: 'name' }],
      }),
    );
    const document = {
      data: {
        tracks: [
          { no: 1, about: { title: 'One', note: 'x' }, people: [{ name: 'Ada', role: 'writer' }] },
        ],
      },
    };
    const told = await explain('nested.json', JSON.stringify(document, null, 1), {
      mapFile,
      type: 'sfx',
    });
    expect(told.facts).toMatchObject({
      format: 'JSON: one document',
      records: 'the list "data.tracks", the first list of objects',
      mapping: 'acme, because --map names it',
      source: 'acme, the name of the mapping (--source names another one)',
    });
    expect(told.first[0]!.track).toMatchObject({ name: 'One', type: 'sfx' });
    expect(told.unused.map(({ member }) => member)).toEqual(['about.note', 'people[].role']);
  });

  it('shows the times of the availability as times', async () => {
    const entry = { territories: ['DE'], from: '2026-01-01', until: '2027-01-01T09:00:00+01:00' };
    const told = await explain('a.ndjson', ndjson(record('1', { availability: [entry, {}] })));
    expect(told.first[0]!.track).toMatchObject({
      availability: [
        {},
        {
          territories: ['DE'],
          from: '2026-01-01T00:00:00.000Z',
          until: '2027-01-01T08:00:00.000Z',
        },
      ],
    });
  });

  it('reads the first records of a long file only, and groups rejections by their reason', async () => {
    const records = Array.from({ length: 5000 }, (_, n) =>
      record(`${n}`, n % 2 === 0 ? { bpm: `x${n}` } : {}),
    );
    const told = await explain('long.ndjson', ndjson(...records));
    expect(told).toMatchObject({ records: 1000, isWhole: false });
    expect(told.first).toHaveLength(10);
    expect(told.rejected).toMatchObject([{ field: 'bpm', records: 500, line: 1 }]);
  });

  it('groups the rows of a sample', async () => {
    const mapFile = await bench.write(
      'map.json',
      JSON.stringify({
        name: 'rows',
        fields: { externalId: 'No', name: 'Name', type: { constant: 'music' } },
        group: { rows: 'all' },
      }),
    );
    const rows = Array.from({ length: 4000 }, (_, n) => `${n % 2},Song ${n % 2}`);
    const told = await explain('rows.csv', ['No,Name', ...rows].join('\n'), { mapFile });
    expect(told).toMatchObject({ records: 2, isWhole: false, rejected: [] });
  });

  it('explains faulty audio of a folder', async () => {
    await bench.write('music/a.mp3', 'no audio');
    const told = await explain('music/b.mp3', 'no audio', { path: `${bench.folder}/music` });
    expect(told.facts.format).toContain('folder of audio files');
    expect(told.rejected).toMatchObject([{ field: 'audio', records: 2 }]);
  });

  it('reads tags in the encoding that --tag-encoding names', async () => {
    const title = Buffer.from('ebc1d4c0dbc1', 'hex');
    const frame = Buffer.concat([Buffer.from('TIT2\0\0\0\x07\0\0\0', 'latin1'), title]);
    const head = Buffer.from(`ID3\x03\0\0\0\0\0${String.fromCharCode(frame.length)}`, 'latin1');
    const song = Buffer.concat([head, frame, await mp3(1)]);
    const plain = await explain('a.mp3', song);
    expect(plain.first).toMatchObject([{ track: { name: 'ëÁÔÀÛÁ' } }]);
    const named = await explain('a.mp3', song, { tagEncoding: 'koi8-r' });
    expect(named.first).toMatchObject([{ track: { name: 'Катюша' } }]);
  });

  it.each([
    ['page.html', '<!doctype html>', 'HTML'],
    ['unknown.csv', 'x,y\n1,2\n', '--suggest-map writes a first one'],
  ])('gives the reason for which %s is refused', async (name, content, reason) => {
    await expect(explain(name, content)).rejects.toThrow(reason);
  });
});
