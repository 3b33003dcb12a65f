import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { xlsx } from '../decode/xlsx.test-support.ts';
import { loadMapping } from './load.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-side-'));
});
afterEach(() => rm(folder, { recursive: true }));

const file = (name: string, content: string | Uint8Array) => writeFile(join(folder, name), content);

/** Loads a mapping with this lookup of the member `it`, and returns its reader. */
async function load(lookup: object, more: object = {}) {
  const rule = { from: 'it', lookup, ...more };
  await file('m.json', JSON.stringify({ name: 'x', fields: { songKey: rule } }));
  const mapping = await loadMapping(join(folder, 'm.json'));
  return (it: unknown) => mapping.toRecord({ it }).songKey;
}

const WORKBOOK = await xlsx([
  { name: 'Notes', rows: [] },
  {
    name: 'Genres',
    rows: [
      ['id', 'a.genre'],
      [1, 'Jazz'],
      [3, 'Funk'],
    ],
  },
]);
const TWO_SHEETS = await xlsx([
  {
    name: 'People',
    rows: [
      ['id', 'a.genre'],
      [1, 'Ann'],
    ],
  },
  {
    name: 'Genres',
    rows: [
      ['id', 'a.genre'],
      [1, 'Jazz'],
      [3, 'Funk'],
    ],
  },
]);
const GENRES = 'id,genre\n1,Jazz\n2,\n1,Soul\n 3 ,Funk\n';

describe('a lookup', () => {
  const lookup = { file: 'genres.csv', key: 'id', take: 'genre' };

  it('takes the values of all rows with the key, as a list if there are several', async () => {
    await file('genres.csv', GENRES);
    const find = await load(lookup);
    expect(find('1')).toEqual(['Jazz', 'Soul']);
    expect(find(3)).toBe('Funk');
    expect(find(' 3 ')).toBe('Funk');
    expect(find('2')).toBeUndefined();
    expect(find('4')).toBeUndefined();
    expect(find({})).toBeUndefined();
    expect(find(['3', '4', '1'])).toEqual(['Funk', 'Jazz', 'Soul']);
  });

  it('comes after the parts that cut, and before the words', async () => {
    await file('genres.csv', GENRES);
    const more = { split: '/', strip: 'g', values: { Jazz: 'Bop' }, default: 'none' };
    const find = await load(lookup, more);
    expect(find('g1 / g3')).toEqual(['Bop', 'Soul', 'Funk']);
    expect(find('g9')).toBe('none');
  });

  it.each<[string, string | Uint8Array, object]>([
    ['side.ndjson', '{"id":1,"a":{"genre":"Jazz"}}\n{"id":"3","a":{"genre":"Funk"}}\n', {}],
    ['side.json', '{"x":[{"id":1,"a":{"genre":"Jazz"}},{"id":3,"a":{"genre":"Funk"}}]}', {}],
    ['side.xlsx', WORKBOOK, {}],
    ['two.xlsx', TWO_SHEETS, { sheet: 'Genres' }],
    ['side.csv.gz', gzipSync('id;a.genre\n1;Jazz\n3;Funk\n'), {}],
    ['side.txt', 'Genres\nsep\n\nid|a.genre\n1|Jazz\n3|Funk\n', { delimiter: '|' }],
    [
      'side.json',
      '{"g":{"1":{"a":{"genre":"Jazz"}},"3":{"a":{"genre":"Funk"}}}}',
      { records: 'g{}', key: '$key' },
    ],
    [
      'lines.json',
      '{\n "g": {\n  "1": {"a": {"genre": "Jazz"}},\n  "3": {"a": {"genre": "Funk"}}\n }\n}\n',
      { records: 'g{}', key: '$key' },
    ],
  ])('reads %s', async (name, content, more) => {
    await file(name, content);
    const find = await load({ file: name, key: 'id', take: 'a.genre', ...more });
    expect([find('1'), find('3')]).toEqual(['Jazz', 'Funk']);
  });

  it('reads a file relative to the mapping, in another encoding', async () => {
    await mkdir(join(folder, 'more'));
    await file('more/genres.csv', Buffer.from('id,genre\n1,Choro\xe9\n', 'latin1'));
    const find = await load({ ...lookup, file: 'more/genres.csv', encoding: 'windows-1252' });
    expect(find('1')).toBe('Choroé');
  });

  it('finds at most 200 values for a record', async () => {
    await file('genres.csv', `id,genre\n${'1,Jazz\n'.repeat(150)}`);
    const find = await load(lookup);
    expect(find('1')).toHaveLength(150);
    expect(() => find(['1', '1'])).toThrow('finds more than 200 values in the side file');
  });

  it.each<[string, string, object, string]>([
    ['that is missing', '', { file: 'no.csv' }, 'no.csv'],
    ['with an absolute path', '', { file: '/etc/hosts' }, 'must be a path relative to the mapping'],
    ['that is empty', '', {}, 'is empty'],
    ['in another format', '<html></html>', {}, 'is HTML, which is not read'],
    ['with a broken row', 'id,genre\n1,Jazz\n2,a,b\n', {}, 'line 3: the row has 3 cells'],
    ['with an unclosed quote', 'id,genre\n1,"Jazz\n', {}, 'line 2: a quote that nothing closes'],
    ['without the key', 'nr,genre\n1,Jazz\n', {}, 'no row with the column or member "id"'],
    ['without the values', 'id,name\n1,Jazz\n', {}, '"id" and "genre"'],
    ['that is not UTF-8', 'id,genre\n1,\xff\n', {}, 'line 2: genre is not valid UTF-8'],
    ['without sheets', 'id,genre\n1,Jazz\n', { sheet: 'Genres' }, 'is no workbook'],
    ['with other records', '[1]', {}, 'line 1 is no object'],
    [
      'with an unknown encoding',
      'id,genre\n',
      { encoding: 'latin-99' },
      'fields.songKey: lookup.encoding names an unknown encoding, "latin-99"',
    ],
    [
      'with a faulty path',
      '[]',
      { records: 'a[0]' },
      'fields.songKey: lookup.records must be a path',
    ],
  ])('refuses a side file %s', async (_, content, more, reason) => {
    await file('genres.csv', Buffer.from(content, 'latin1'));
    await expect(load({ ...lookup, ...more })).rejects.toThrow(reason);
    await expect(load({ ...lookup, ...more })).rejects.toThrow(
      expect.objectContaining({ name: 'OperatorError' }),
    );
  });

  it('names the mapping and the place of the rule', async () => {
    await file('genres.csv', 'x\n1\n');
    await expect(load(lookup)).rejects.toThrow(
      /^the side file genres\.csv of the mapping .*m\.json \(fields\.songKey\)/,
    );
  });

  it('refuses side files that take too much memory', async () => {
    await file('genres.csv', `id,genre\n${'1,Jazz\n'.repeat(400_000)}`);
    await expect(load(lookup)).rejects.toThrow('may take 48 MiB of memory');
  });
});
