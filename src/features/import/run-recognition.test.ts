import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';
import { readingName } from './files/parts.ts';
import type { Rejection } from './item.ts';
import type { Reading } from './options.ts';

const IMPORT_ONCE = fileURLToPath(
  new URL('../../../test/harness/programs/import-once.ts', import.meta.url),
);

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

async function read(paths: readonly string[], options: object = {}) {
  const readings: Reading[] = [];
  const told: (Rejection & { as: string | undefined })[] = [];
  const ran = await bench.run(paths, {
    onReading: (reading) => readings.push(reading),
    onRejection: (rejection, reading) =>
      told.push({ ...rejection, as: reading && readingName(reading) }),
    ...options,
  });
  return { ...ran, readings, told };
}

const credit = (role: string) => ({ artists: [{ name: 'Ann Weir', role, isPrimary: true }] });
const roles = async () =>
  (await bench.tracks()).map(({ artists }) => (artists as { role: string }[])[0]?.role);

describe('a file in the form of a catalog dump', () => {
  it('is recognized by its words for roles alone', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson(record('1'), record('2', credit('artist')), record('3', credit('lyricist'))),
    );
    const { summary, readings } = await read([path]);
    expect(summary).toEqual(counts(3));
    expect(readings).toEqual([
      { path, format: 'NDJSON', mapping: 'catalog-dump', source: 'catalog-dump' },
    ]);
    expect(await roles()).toEqual([undefined, 'MAIN_ARTIST', 'LYRICIST']);
  });

  it('is recognized if only a few late records show it', async () => {
    const plain = Array.from({ length: 700 }, (_, i) => record(`${i}`));
    const path = await bench.write(
      'a.ndjson',
      ndjson(...plain, record('z', { ...credit('uploader'), tags: { genre: ['Rock'] } })),
    );
    const { summary, readings } = await read([path], { source: 'acme' });
    expect(summary).toEqual(counts(701));
    expect(readings).toMatchObject([{ mapping: 'catalog-dump', source: 'acme' }]);
  });

  it('is not recognized by the words of Stave’s own form', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson(record('1', credit('MAIN_ARTIST')), record('2', { filters: ['mood:Calm'] })),
    );
    const { readings } = await read([path]);
    expect(readings).toEqual([{ path, format: 'NDJSON', mapping: null, source: 'stave' }]);
  });

  it.each([
    ['without a name', {}],
    ['with an empty name', { name: '' }],
    ['with nothing but an id', { type: undefined, tags: undefined }],
  ])('is imported except for a thousand records %s', async (_, fault) => {
    const dump = (id: string, more: object) => ({
      externalId: id,
      type: 'music',
      tags: { genre: ['Rock'] },
      ...more,
    });
    const faulty = Array.from({ length: 900 }, (_, i) => dump(`${i}`, fault));
    const path = await bench.write(
      'a.ndjson',
      ndjson(...faulty, dump('x', { name: 'Rain' }), dump('y', { name: 'Snow' })),
    );
    const { summary, told } = await read([path]);
    expect(summary).toEqual(counts(2, 900));
    expect(told[0]).toMatchObject({
      line: 1,
      field: 'name',
      as: 'mapping catalog-dump, source catalog-dump',
    });
  });

  it('may begin with rows that are all empty, in CSV', async () => {
    const rows = ',,\n'.repeat(1500);
    const path = await bench.write('a.csv', `externalId,name,type\n${rows}1,Rain,music\n`);
    expect((await read([path])).summary).toEqual(counts(1));
  });
});

describe('a credit without a name', () => {
  it('is omitted with a note, and the track is imported', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson(
        record('1'),
        record('2', {
          licence: 'CC0',
          artists: [{ name: '', role: 'artist' }, { role: 'x' }, { name: 'Ann', role: 'artist' }],
        }),
      ),
    );
    const { summary, notes } = await read([path]);
    expect(summary).toEqual(counts(2));
    expect(notes).toEqual([`${path}: left out 2 credits without a name, the first in record 2`]);
    const csv = await bench.write(
      'a.csv',
      'externalId,name,type,artists\n1,N,music,COMPOSER:|Ann\n',
    );
    expect((await read([csv])).notes).toEqual([
      `${csv}: left out a credit without a name, the first in record 2`,
    ]);
  });
});

describe('a mapping', () => {
  const mapping = (rules: object) =>
    bench.write('m.json', JSON.stringify({ name: 'acme', ...rules }));
  const fields = { externalId: 'No', name: 'Title', type: { constant: 'music' } };

  it('can name a column that contains a dot', async () => {
    const path = await bench.write('a.csv', 'No.,Title.en,tag.x\n1,Rain,a\n');
    const mapFile = await mapping({
      fields: { ...fields, externalId: 'No.', name: 'Title.en' },
      tags: ['tag.x'],
    });
    const { summary, notes } = await read([path], { mapFile });
    expect([summary, notes]).toEqual([counts(1), []]);
    expect(await bench.tracks()).toMatchObject([{ name: 'Rain' }]);
  });

  it('causes a note with the nearest name if no record has one of its columns', async () => {
    const path = await bench.write('a.csv', 'No,Title,Tempo,Kind\n1,Rain,90,x\n');
    const mapFile = await mapping({
      fields: { ...fields, bpm: 'Temop', isrc: ['ISRC', 'Kind'] },
      filters: [{ type: 'genre', from: 'Colour of the sky' }],
    });
    const { notes } = await read([path], { mapFile });
    const no = (column: string, where: string) =>
      `${path}: no record has the member or column "${column}", which the mapping acme names in ${where}`;
    expect(notes).toEqual([
      `${no('Temop', 'fields.bpm')} (did you mean Tempo?)`,
      no('ISRC', 'fields.isrc'),
      no('Colour of the sky', 'filters[0]'),
    ]);
  });

  it('causes no such note for a column whose cells are all empty', async () => {
    const path = await bench.write('a.csv', 'No,Title,Tempo\n1,Rain,\n2,Sun,\n');
    const mapFile = await mapping({ fields: { ...fields, bpm: 'Tempo' } });
    const { summary, notes } = await read([path], { mapFile });
    expect([summary, notes]).toEqual([counts(2), []]);
  });

  it('takes an empty cell of a credit as absent, in each row', async () => {
    const path = await bench.write('a.csv', 'No,Title,Artist,Role\n1,Rain,Ann,\n2,Sun,Ben,\n');
    const mapFile = await mapping({ fields, artists: [{ name: 'Artist', role: 'Role' }] });
    const { summary } = await read([path], { mapFile });
    expect(summary).toEqual(counts(2));
    expect(await bench.tracks()).toMatchObject([
      { artists: [{ name: 'Ann', role: 'MAIN_ARTIST' }] },
      { artists: [{ name: 'Ben', role: 'MAIN_ARTIST' }] },
    ]);
  });

  it('causes that note for the entries of a list, but not for members that some record has', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson(
        { No: 1, Title: 'A', who: [{ n: 'Ann' }] },
        { No: 2, Title: 'B', who: [], deep: { er: 'x' } },
      ),
    );
    const mapFile = await mapping({
      fields: { ...fields, isrc: 'deep.er' },
      artists: [{ each: 'who', name: 'n', role: 'job' }],
    });
    const { notes } = await read([path], { mapFile });
    expect(notes).toEqual([
      `${path}: no entry of "who" has the member or column "job", which the mapping acme names in artists[0].role`,
    ]);
  });

  it('causes no such note if it is a shipped mapping', async () => {
    const path = await bench.write('a.ndjson', ndjson(record('1', { licence: 'CC0' })));
    expect((await read([path])).notes).toEqual([]);
  });
});

describe('a JSON document', () => {
  it('is read if it is one record over several lines', async () => {
    const one = JSON.stringify(record('1', { ...credit('MAIN_ARTIST'), tags: ['a'] }), null, 2);
    const path = await bench.write('a.json', `${one}\n`);
    const { summary } = await read([path]);
    expect(summary).toEqual(counts(1));
    expect(await roles()).toEqual(['MAIN_ARTIST']);
  });

  it('causes a note that a second list was ignored', async () => {
    const path = await bench.write(
      'a.json',
      JSON.stringify({ tracks: [record('1')], albums: [{ title: 'x' }], more: [{}] }),
    );
    const { summary, notes } = await read([path]);
    expect(summary).toEqual(counts(1));
    expect(notes).toEqual([
      `${path}: passed over the lists "albums", "more": the records were read from "tracks" (a mapping can name another list with \`records\`)`,
    ]);
  });
});

describe('a pipe', () => {
  it('is read more than once, like a file', async () => {
    const file = await bench.write('a.csv', 'externalId,name,type\n1,Rain,music\n2,Snow,music\n');
    const fifo = join(bench.folder, 'pipe');
    await promisify(execFile)('mkfifo', [fifo]);
    const writing = promisify(execFile)('sh', ['-c', 'cat "$0" > "$1"', file, fifo]);
    const { summary, readings } = await read([fifo], { strict: true });
    await writing;
    expect(summary).toEqual(counts(2));
    expect(readings).toEqual([{ path: fifo, format: 'CSV', mapping: null, source: 'stave' }]);
  });

  it('is read from standard input if the path is -', async () => {
    const file = await bench.write('a.ndjson', ndjson(record('1')));
    await expect(read([file, '-', '-'])).rejects.toThrow('name - only once');
    const line = 'cat "$0" | "$1" "$2" - "$3"';
    const args = ['-c', line, file, process.execPath, IMPORT_ONCE, bench.folder];
    const { stdout } = await promisify(execFile)('sh', args);
    expect(JSON.parse(stdout)).toMatchObject(counts(1));
  });
});
