import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joinList } from '../../../test/harness/decoding.ts';
import {
  counts,
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

describe('an import', () => {
  it('creates tracks, changes nothing the second time, then updates what changed', async () => {
    const path = await bench.write('a.ndjson', ndjson(record('1'), record('2')));
    expect((await bench.run([path])).summary).toEqual(counts(2));
    const head = await bench.store.changes.head();
    expect((await bench.run([path])).summary).toEqual({ ...counts(0), read: 2, unchanged: 2 });
    expect(await bench.store.changes.head()).toBe(head);
    await bench.write('a.ndjson', ndjson(record('1', { bpm: 90 }), record('2'), record('3')));
    expect((await bench.run([path])).summary).toEqual({
      read: 3,
      created: 1,
      updated: 1,
      unchanged: 1,
      rejected: 0,
    });
    expect((await bench.tracks()).map(({ bpm }) => bpm)).toEqual(['90', '', '']);
  });

  it('imports the same records from every format', async () => {
    const records = [
      record('1', {
        name: 'One, "two"',
        bpm: 120,
        songKey: ['C major', 'A minor'],
        tags: ['a|b', 'c'],
        isPRO: true,
        artists: [
          { name: 'Ann', role: 'MAIN_ARTIST', isPrimary: true },
          { name: 'Bob', role: 'COMPOSER', isPrimary: false },
        ],
        filters: [{ type: 'genre', name: 'Ambient' }],
      }),
      record('2'),
    ];
    const csv =
      '\ufeffexternalId;name;type;bpm;songKey;tags;isPRO;artists;filters\r\n' +
      `1;"One, ""two""";music;120;C major|A minor;${joinList(['a|b', 'c'])};true;MAIN_ARTIST:Ann|COMPOSER:Bob;genre:Ambient\r\n` +
      '2;Track 2;music;;;;;;\r\n';
    const paths = [
      await bench.write('a.ndjson', ndjson(...records)),
      await bench.write('b.json', JSON.stringify(records, null, 2)),
      await bench.write('c.json', JSON.stringify({ page: 1, tracks: records })),
      await bench.write('d.csv', csv),
      await bench.write('e.csv.gz', gzipSync(csv)),
      await bench.write('f.json', ndjson(...records)),
    ];
    const { summary, rejections } = await bench.run(paths);
    expect(rejections).toEqual([]);
    expect(summary).toEqual({ read: 12, created: 2, updated: 0, unchanged: 10, rejected: 0 });
  });

  it('rejects bad records with file, line, field and reason, and imports the others', async () => {
    const path = await bench.write(
      'a.ndjson',
      `${ndjson(record('1'), record('2', { name: '' }))}{"broken\n${ndjson(
        record('4', { bpm: 'fast', isrc: 'x' }),
        record('5', { name: 'a\0b' }),
        record('6', { name: '\ud800' }),
        record('7', { id: 'nope' }),
        record('8', { name: 'x'.repeat(2_000_000) }),
        [],
        record('9'),
      )}`,
    );
    const { summary, rejections } = await bench.run([path]);
    expect(summary).toEqual(counts(2, 8));
    expect(rejections).toEqual([
      { file: path, line: 2, field: 'name', reason: 'must not be empty' },
      { file: path, line: 3, field: '', reason: expect.stringMatching(/^not valid JSON/) },
      {
        file: path,
        line: 4,
        field: 'bpm',
        reason: expect.stringMatching(/^must be a number .*; isrc must be an ISRC/),
      },
      { file: path, line: 5, field: 'name', reason: 'must not hold the NUL character' },
      { file: path, line: 6, field: 'name', reason: expect.stringContaining('well-formed') },
      { file: path, line: 7, field: 'id', reason: 'must be a UUID; it is "nope"' },
      { file: path, line: 8, field: '', reason: 'the line is longer than 1024 KiB' },
      { file: path, line: 9, field: '', reason: 'must be a JSON object' },
    ]);
  });

  it('rejects a second, different record of one track, and ignores an equal one', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson(record('1'), record('1'), record('1', { name: 'Other' })),
    );
    const { summary, rejections } = await bench.run([path]);
    expect(summary).toEqual({ read: 3, created: 1, updated: 0, unchanged: 1, rejected: 1 });
    expect(rejections).toMatchObject([
      {
        line: 3,
        field: 'externalId',
        reason: 'names a track that this import has delivered already in line 1, with other values',
      },
    ]);
    expect((await bench.tracks()).map(({ name }) => name)).toEqual(['Track 1']);
    const other = await bench.write('b.ndjson', ndjson(record('2'), record('1', { name: 'B' })));
    const both = await bench.run([path, other], { dryRun: true });
    expect(both.rejections[1]).toMatchObject({
      file: other,
      line: 2,
      reason: expect.stringContaining(`already in ${path}, line 1, with`),
    });
  });

  it.each([
    ['an empty file', 'a.ndjson', '', 'the file is empty; no track records were read'],
    ['an empty array', 'a.json', '[]', 'the file holds no track records'],
    ['only a heading', 'a.csv', 'externalId,name,type\n', 'the file holds no track records'],
    ['XML', 'a.csv', '<?xml version="1.0"?>\n<catalog>', 'the file is XML, which'],
    ['HTML', 'a.json', '\n<!DOCTYPE html>\n<html>', 'the file is HTML, which is not read'],
    [
      'CWR',
      'CW260001.V21',
      'HDRPB123456789A PUBLISHER                                   01.1020261101\n',
      'the file is CWR (Common Works Registration), which is not read: export its tracks as NDJSON',
    ],
    [
      'records of another kind',
      'a.ndjson',
      ndjson(...Array.from({ length: 1200 }, (_, i) => ({ externalId: `${i}`, track: 'a' }))),
      'the first 1000 records are no track records: its records have externalId, track',
    ],
    ['other records', 'a.ndjson', ndjson({ album: 'x' }), 'its records have album'],
    ['licenses', 'a.ndjson', ndjson({ externalId: '1', track: 'a' }), 'no known mapping'],
    [
      'garbage',
      'a.bin',
      Buffer.from(Array.from({ length: 999 }, (_, i) => (i * 31) % 256)),
      'is binary',
    ],
    ['UTF-32', 'a.csv', Buffer.from('fffe00006e000000', 'hex'), 'is in UTF-32'],
    [
      'a broken gzip file',
      'a.gz',
      Buffer.from([0x1f, 0x8b, 8, 0, 1, 2]),
      'the gzip data end too early',
    ],
  ])('refuses %s with one reason', async (_, name, content, reason) => {
    const path = await bench.write(name, content);
    const { summary, rejections } = await bench.run([path]);
    expect(summary).toEqual({ read: 0, created: 0, updated: 0, unchanged: 0, rejected: 1 });
    expect(rejections).toEqual([
      { file: path, line: null, field: '', reason: expect.stringContaining(reason) },
    ]);
  });

  it('refuses a file without a JSON line, with the reason of its first line', async () => {
    const path = await bench.write('a.ndjson', 'Dear Sir,\nno tracks today\n');
    const { summary, rejections } = await bench.run([path]);
    expect(summary).toMatchObject({ read: 0, rejected: 1 });
    expect(rejections).toEqual([
      {
        file: path,
        line: 1,
        field: '',
        reason: expect.stringMatching(/^not valid JSON.*no track records$/),
      },
    ]);
  });

  it('imports the records before the end of a truncated gzip file', async () => {
    const records = Array.from({ length: 3000 }, (_, i) => record(`${i * 7919}`));
    const packed = gzipSync(ndjson(...records));
    const path = await bench.write('a.ndjson.gz', packed.subarray(0, packed.length >> 1));
    const { summary, rejections } = await bench.run([path]);
    expect(summary.created).toBeGreaterThan(100);
    expect(rejections.at(-1)).toMatchObject({
      file: path,
      reason: 'the gzip data end too early; the rest was not read',
    });
  });

  it('imports nothing if a path does not exist', async () => {
    const path = await bench.write('a.ndjson', ndjson(record('1')));
    await expect(bench.run([path, `${path}x`])).rejects.toThrow(`no such file or folder: ${path}x`);
    expect(await bench.tracks()).toEqual([]);
  });

  it('reports the members and columns that it ignored', async () => {
    const path = await bench.write('a.ndjson', ndjson(record('1', { mood: 1, relaseDate: 2 })));
    expect((await bench.run([path])).notes).toEqual([
      `${path}: passed over members that the import record does not have: "mood" in 1 record, "relaseDate" (did you mean releaseDate?) in 1 record`,
    ]);
    const csv = await bench.write('a.csv', 'externalId,name,type,Tempo,song_key\n9,N,music,1,C\n');
    expect((await bench.run([csv])).notes).toEqual([
      expect.stringContaining('the column "Tempo" is passed over'),
      `${csv}: the column "song_key" is passed over (did you mean songKey?)`,
    ]);
  });

  it('uses the type and the source of the options', async () => {
    const path = await bench.write('a.ndjson', ndjson({ externalId: '1', name: 'N' }));
    await bench.run([path], { type: 'sfx', source: 'acme' });
    const [track] = await bench.tracks();
    expect(track).toMatchObject({ type: 'sfx' });
    expect(await bench.store.catalog.trackRecord(String(track!.id))).toMatchObject({
      source: 'acme',
      externalId: '1',
    });
  });

  it('maps the records of a supplier, and refuses an invalid mapping', async () => {
    const path = await bench.write('a.csv', 'No,Title,Length,Kind\n7,Rain,1:05,Effect\n8,,x,\n');
    const mapFile = await bench.write(
      'supplier.json',
      JSON.stringify({
        name: 'supplier',
        fields: {
          externalId: 'No',
          name: 'Title',
          durationSeconds: { from: 'Length', unit: 'clock' },
          type: { from: 'Kind', values: { Effect: 'sfx' }, default: 'music' },
        },
      }),
    );
    const { summary, rejections } = await bench.run([path], { mapFile });
    expect(summary).toEqual(counts(1, 1));
    expect(rejections[0]).toMatchObject({ line: 3, field: 'name' });
    expect(await bench.tracks()).toMatchObject([
      { name: 'Rain', type: 'sfx', durationSeconds: 65 },
    ]);
    expect((await bench.run([path], { mapFile: 'catalog-dump' })).summary.created).toBe(0);
    const faulty = await bench.write('faulty.json', '{"name":"x","field":{}}');
    await expect(bench.run([path], { mapFile: faulty })).rejects.toThrow('faulty.json');
    await expect(bench.run([path], { mapFile: `${faulty}x` })).rejects.toThrow(
      /cannot read the mapping .*x: there is no such file, and the shipped mappings are catalog-dump, fma-tracks, /,
    );
  });

  it('imports any CSV content twice without a difference', async () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ name: texts, tags: fc.array(texts, { maxLength: 4 }) }), {
          minLength: 1,
          maxLength: 20,
        }),
        async (rows) => {
          const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
          const lines = rows.map(
            ({ name, tags }, i) => `${i},${quoted(name)},music,${quoted(joinList(tags))}\n`,
          );
          const path = await bench.write('p.csv', `externalId,name,type,tags\n${lines.join('')}`);
          const { summary } = await bench.run([path]);
          const again = await bench.run([path]);
          expect(again.summary).toMatchObject({
            created: 0,
            updated: 0,
            rejected: summary.rejected,
          });
        },
      ),
      { numRuns: 25 },
    );
  });
});
