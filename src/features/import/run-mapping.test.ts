import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  type ImportBench,
  ndjson,
  openImportBench,
} from '../../../test/harness/import-bench.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const fields = { externalId: 'No', name: 'Title', type: { constant: 'music' } };
const mapFile = (more: object) =>
  bench.write('m.json', JSON.stringify({ name: 'acme', fields, ...more }));

describe('a delivery with a mapping', () => {
  it('has titles, a delimiter and repeated headings, and a note names its heading', async () => {
    const path = await bench.write(
      'a.csv',
      'sep=;\r\nAcme, Ltd\r\nMay;2026;\r\nNo;Title;Tag;Tag;\r\n1;A;x;y;\r\nNo;Title;Tag;Tag;\r\n2;B;;z\r\n',
    );
    const options = { mapFile: await mapFile({ tags: ['Tag', 'Tag[2]'] }) };
    const { summary, notes } = await bench.run([path], options);
    expect(summary).toEqual(counts(2));
    expect(notes).toEqual([`${path}: the heading is line 4; the lines above it are passed over`]);
    expect(await bench.tracks()).toMatchObject([
      { name: 'A', tags: ['x', 'y'] },
      { name: 'B', tags: ['z'] },
    ]);
  });

  it('has a heading where the mapping states it', async () => {
    const path = await bench.write('a.csv', 'No,Title\n8,Old\nNo,Title\n1,A\n');
    const { summary } = await bench.run([path], { mapFile: await mapFile({ headingLine: 3 }) });
    expect(summary).toEqual(counts(1));
  });

  it('has several heading lines, and a list in its last column', async () => {
    const path = await bench.write('a.csv', 'x,,\nNo,Title,Tag\nid,,\n1,A,x,y\n2,B\n');
    const more = { headingLine: 2, firstRecordLine: 4, lastColumnIsList: true, tags: ['Tag'] };
    const { summary, rejections } = await bench.run([path], { mapFile: await mapFile(more) });
    expect([summary, rejections]).toEqual([counts(2), []]);
    expect(await bench.tracks()).toMatchObject([
      { name: 'A', tags: ['x', 'y'] },
      { name: 'B', tags: [] },
    ]);
  });

  it('has several rows for a track', async () => {
    const path = await bench.write(
      'a.csv',
      'No,Title,Writer,Job\n1,A,Ann,writer\n1,A,Bob,writer\n2,B,Ann,writer\n1,A,Cy,singer\n3,C,Bob,writer\n3,X,Ann,writer\n',
    );
    const artists = [{ name: 'Writer', role: 'Job' }];
    const roles = { writer: 'COMPOSER', singer: 'PERFORMER' };
    const run = async (group: object) =>
      bench.run([path], { mapFile: await mapFile({ artists, roles, group }) });

    const whole = await run({ rows: 'all' });
    expect(whole.summary).toEqual(counts(2, 1));
    expect(whole.rejections).toEqual([
      {
        file: path,
        line: 6,
        field: 'name',
        reason: 'differs between the rows of one track: "C" and, in line 7, "X"',
      },
    ]);
    expect(await bench.tracks()).toMatchObject([
      { name: 'A', artists: [{ name: 'Ann' }, { name: 'Bob' }, { name: 'Cy', role: 'PERFORMER' }] },
      { name: 'B', artists: [{ name: 'Ann' }] },
    ]);
    const consecutive = await run({ rows: 'consecutive', conflicts: 'first' });
    expect(consecutive.summary).toMatchObject({
      created: 1,
      updated: 1,
      unchanged: 1,
      rejected: 1,
    });
    expect(consecutive.rejections).toMatchObject([
      { line: 5, reason: expect.stringContaining('has delivered already in line 2') },
    ]);
  });

  it('groups the rows by the id, or by the id of the supplier', async () => {
    const path = await bench.write('a.csv', 'Id,No,Title\n,1,A\n,1,A\n,2,B\n,,B\n');
    const group = { rows: 'consecutive', conflicts: 'first' };
    const options = { mapFile: await mapFile({ fields: { id: 'Id', ...fields }, group }) };
    expect((await bench.run([path], options)).summary).toEqual(counts(2));
  });

  it('keeps the tracks of rejected rows in a full delivery', async () => {
    const options = { source: 'acme', prune: true, pruneLimit: 9 };
    const map = await mapFile({
      group: { rows: 'consecutive' },
      tags: [{ from: 'T', decode: 'json' }],
    });
    const first = await bench.write('a.csv', 'No,Title,T\n1,A,[]\n2,B,[]\n3,C,[]\n');
    await bench.run([first], { source: 'acme', mapFile: map });
    const second = await bench.write('b.csv', 'No,Title,T\n1,A,[]\n2,B,[\n2,B,[]\n');
    const { summary, rejections } = await bench.run([second], { ...options, mapFile: map });
    expect(rejections).toMatchObject([
      { line: 3, field: 'T', reason: expect.stringContaining('JSON') },
    ]);
    expect(summary).toMatchObject({ withdrawn: 1, rejected: 1 });
    expect((await bench.tracks()).map(({ name }) => name)).toEqual(['A', 'B']);
  });

  it('reports the rows of a group one by one if what they share cannot be read', async () => {
    const path = await bench.write('a.csv', Buffer.from('No,Title\n1,A\n\xff,B\n2,C\n', 'latin1'));
    const { rejections, summary } = await bench.run([path], {
      mapFile: await mapFile({ group: { rows: 'consecutive' } }),
    });
    expect(summary).toEqual(counts(2, 1));
    expect(rejections).toMatchObject([
      { line: 3, field: 'No', reason: expect.stringContaining('UTF-8') },
    ]);
  });

  it('has nested records, and names the members that none has', async () => {
    const nested = {
      fields: { ...fields, name: '$parent.title', slug: '$parent.sluk' },
      records: '$.t[]',
    };
    const lines = ndjson({ title: 'A', slug: 's', t: [{ No: 1 }, 7] }, { title: 'B' });
    const path = await bench.write('a.ndjson', lines);
    const { summary, rejections, notes } = await bench.run([path], {
      mapFile: await mapFile(nested),
    });
    expect(summary).toEqual(counts(1, 2));
    expect(rejections.map(({ line, reason }) => [line, reason])).toEqual([
      [1, 'must be a JSON object'],
      [2, 'has no list "t"'],
    ]);
    expect(notes).toEqual([
      `${path}: no record has the member or column "$parent.sluk", which the mapping acme names in fields.slug`,
    ]);
  });

  it('is refused if a side file is missing, before anything is imported', async () => {
    const tags = [{ from: 'No', lookup: { file: 'tags.csv', key: 'a', take: 'b' } }];
    const path = await bench.write('a.csv', 'No,Title\n1,A\n');
    await expect(bench.run([path], { mapFile: await mapFile({ tags }) })).rejects.toThrow(
      expect.objectContaining({
        name: 'OperatorError',
        message: expect.stringContaining('tags.csv'),
      }),
    );
    expect(await bench.tracks()).toEqual([]);
  });
});

describe('a delivery whose mapping looks values up', () => {
  const read = async (rows: string) => {
    await bench.write('genres.csv', 'id,genre,mood\nR1,Jazz,Calm\nR2,,Calm\n');
    const lookup = (take?: string) => ({ file: 'genres.csv', key: 'id', ...(take && { take }) });
    const filters = ['genre', 'mood'].map((type) => ({
      type,
      from: 'Release',
      split: ';',
      lookup: lookup(type),
    }));
    const map = await mapFile({ filters });
    const path = await bench.write('a.csv', `No,Title,Release\n${rows}`);
    const { summary, notes } = await bench.run([path], { mapFile: map });
    return { summary, notes: notes.map((note) => note.replace(`${path}: `, '')) };
  };

  it('tells at its end how many keys the side file does not have', async () => {
    const { summary, notes } = await read('1,A,R1\n2,B,R2;R8\n3,C,R9\n4,D,\n');
    expect(summary).toEqual(counts(4));
    expect(notes).toEqual([
      'the side file genres.csv has no "genre" for 3 keys of "id", such as "R2"',
      'the side file genres.csv has no "mood" for 2 keys of "id", such as "R8"',
    ]);
  });

  it('tells of one key, and nothing if all are found', async () => {
    expect((await read('1,A,R1\n2,B,R2\n')).notes).toEqual([
      'the side file genres.csv has no "genre" for a key of "id", "R2"',
    ]);
    expect((await read('1,A,R1\n')).notes).toEqual([]);
  });
});

describe('a rejection that a member of the mapping can avoid', () => {
  it('names `group` for a second row of a track', async () => {
    const path = await bench.write('a.csv', 'No,Title\n1,A\n1,B\n');
    const { rejections } = await bench.run([path], { mapFile: await mapFile({}) });
    expect(rejections).toMatchObject([
      { line: 3, reason: expect.stringContaining('; `group` of a mapping merges the rows') },
    ]);
  });

  it('names `encoding` for a cell that is not UTF-8', async () => {
    const path = await bench.write('a.csv', Buffer.from('No,Title\n1,A\n2,\xe9\n', 'latin1'));
    const { rejections } = await bench.run([path], { mapFile: await mapFile({}) });
    expect(rejections).toMatchObject([
      { line: 3, reason: expect.stringContaining('; `encoding` of a mapping names another') },
    ]);
  });

  it('names `records` for a document with another list', async () => {
    const path = await bench.write(
      'a.json',
      '{"labels":[{"x":1}],"tracks":[{"No":1,"Title":"A"}]}',
    );
    const { rejections } = await bench.run([path], { mapFile: await mapFile({}) });
    expect(rejections).toMatchObject([
      { reason: expect.stringContaining('; `records` of a mapping names another list') },
    ]);
  });
});
