import { writeFile } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { stave, staveJson, temporaryFolder } from '../harness/cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

async function imported(data: string, content: string) {
  const path = folder.at('synonyms.csv');
  await writeFile(path, content);
  return stave(data, ['brief', 'synonyms', 'import', path]);
}

it('imports synonyms, which replace those before, and lists them', async () => {
  const data = folder.at('listed');
  const list = async () => (await staveJson(data, ['brief', 'synonyms', 'list'])).items;
  expect(await list()).toEqual([]);
  const first = await imported(
    data,
    'Term;Names\r\n# Moods; quiet\r\n"Mellow|dösig*";Calm;"Easy; slow"\r\n\r\n',
  );
  expect(first).toMatchObject({ code: 0, stdout: '2 synonyms imported\n' });
  expect(await list()).toEqual([
    { term: 'dosig*', names: ['Calm', 'Easy; slow'] },
    { term: 'mellow', names: ['Calm', 'Easy; slow'] },
  ]);
  await imported(data, 'term,names\n');
  expect(await list()).toEqual([]);
});

it('exports what it imports', async () => {
  const data = folder.at('exported');
  const csv = await stave(data, ['brief', 'synonyms', 'list', '--shipped', '--csv']);
  expect(await imported(data, csv.stdout)).toMatchObject({ code: 0 });
  const shipped = await staveJson(data, ['brief', 'synonyms', 'list', '--shipped']);
  const stored = await staveJson(data, ['brief', 'synonyms', 'list']);
  expect(new Map(stored.items.map(({ term, names }: Row) => [term, names]))).toEqual(
    new Map(shipped.items.map(({ term, names }: Row) => [term, names])),
  );
});

interface Row {
  term: string;
  names: string[];
}

const numbered = (count: number, join: string) =>
  Array.from({ length: count }, (_, i) => `t${i}${join}`).join('');

it.each([
  ['no heading', '', 'line 1: the heading must be term,names'],
  ['another heading', 'calm,ruhig\n', 'line 1: the heading must be term,names'],
  ['no name', 'term,names\ncalm\n', 'line 2: "calm" must stand for at least one name'],
  ['no letter', 'term,names\n\n***,calm\n', 'line 3: "***" must have a letter or digit'],
  ['a star inside', 'term,names\nc*lm,a\n', 'line 2: "c*lm" may have a * only at its end'],
  ['an open quote', 'term,names\ncalm,"a\n', 'line 2: a quote is not closed'],
  ['a repeated term', 'term,names\na,b\nA,c\n', 'line 3: "A" is in line 2, too'],
  ['a name of signs', 'term,names\na,?\n', 'line 2: "a" has the name ? without a letter or digit'],
  ['a long term', 'term,names\na b c d e f g h i,x\n', 'has more than 8 words'],
  ['a long name', `term,names\na,${'b'.repeat(101)}\n`, 'is longer than 100 characters'],
  ['many names', `term,names\na,${numbered(21, ',')}\n`, 'has more than 20 names'],
  ['many terms', `term,names\n${numbered(20_001, ',x\n')}`, 'more than 20000 terms'],
  ['a large file', `term,names\n${'x'.repeat(2 * 1024 * 1024)}`, 'is larger than 2 MiB'],
])('refuses a file with %s', async (_, content, problem) => {
  const data = folder.at('refused');
  const { code, stdout, stderr } = await imported(data, content);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(problem);
  expect((await staveJson(data, ['brief', 'synonyms', 'list'])).items).toEqual([]);
});
