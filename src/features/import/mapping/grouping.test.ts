import { describe, expect, it } from 'vitest';
import { type MappedRow, RowGroups } from './grouping.ts';
import type { MappingGroup } from './mapping.ts';
import { CellProblem } from './members.ts';

const row = (position: number, key: string | undefined, record: object, more: object = {}) =>
  ({ position, key, record: { ...record }, sizeBytes: 100, problem: null, ...more }) as MappedRow;

function merged(group: MappingGroup, rows: readonly MappedRow[]) {
  const groups = new RowGroups(group);
  const complete = rows.map((one) => groups.add(one)).filter((one) => one !== undefined);
  return [...complete, ...[...groups.end(2)].flat()].map(({ position, record, problem }) => ({
    position,
    record,
    problem: problem === null ? null : `${problem.field} ${problem.message}`,
  }));
}

describe('rows of one track', () => {
  it('merge their lists without duplicates, and their other members', () => {
    const rows = [
      row(2, '1', { name: 'a', tags: ['x', 'y'], artists: [{ name: 'A', role: undefined }] }),
      row(3, '1', { name: 'a', tags: ['y', 'z'], artists: [{ name: 'A' }, { name: 'B' }] }),
      row(4, '1', { name: '', bpm: 90, filters: [] }),
    ];
    expect(merged({ rows: 'consecutive' }, rows)).toEqual([
      {
        position: 2,
        record: {
          name: 'a',
          tags: ['x', 'y', 'z'],
          artists: [{ name: 'A', role: undefined }, { name: 'B' }],
          bpm: 90,
          filters: [],
        },
        problem: null,
      },
    ]);
  });

  const scattered = [
    row(2, '1', { tags: ['a'] }),
    row(3, '2', { tags: ['b'] }),
    row(4, '1', { tags: ['c'] }),
    row(5, undefined, { tags: ['d'] }),
  ];

  it('follow each other, or are anywhere in the file', () => {
    expect(merged({ rows: 'consecutive' }, scattered).map(({ record }) => record.tags)).toEqual([
      ['a'],
      ['b'],
      ['c', 'd'],
    ]);
    expect(merged({ rows: 'all' }, scattered).map(({ record }) => record.tags)).toEqual([
      ['a', 'c', 'd'],
      ['b'],
    ]);
  });

  it.each<MappingGroup['rows']>(['consecutive', 'all'])(
    'without what they share begin a track at the top of a file: %s',
    (rows) => {
      const lost = [
        row(2, undefined, { bpm: 1 }),
        row(3, undefined, { tags: ['x'] }),
        row(4, '1', {}),
      ];
      expect(merged({ rows }, lost).map(({ record }) => record)).toEqual([
        { bpm: 1, tags: ['x'] },
        {},
      ]);
      expect(merged({ rows }, [])).toEqual([]);
    },
  );

  it('are rejected if they have different values, unless the first one applies', () => {
    const rows = [row(2, '1', { name: 'a', bpm: 1 }), row(3, '1', { name: 'b', bpm: 1 })];
    expect(merged({ rows: 'all' }, rows)[0]!.problem).toBe(
      'name differs between the rows of one track: "a" and, in line 3, "b"',
    );
    expect(merged({ rows: 'all', conflicts: 'first' }, rows)).toMatchObject([
      { record: { name: 'a', bpm: 1 }, problem: null },
    ]);
    const text = [row(2, '1', { tags: ['a'] }), row(3, '1', { tags: 'b' })];
    expect(merged({ rows: 'all' }, text)[0]!.problem).toContain('tags differs');
  });

  it('are rejected with the first problem of a row', () => {
    const problem = new CellProblem('People', 'must be JSON');
    const rows = [
      row(2, '1', { name: 'a' }),
      row(3, '1', {}, { problem }),
      row(4, '1', { name: 'b' }),
    ];
    expect(merged({ rows: 'consecutive' }, rows)).toMatchObject([
      { position: 2, problem: 'People must be JSON' },
    ]);
  });

  it('are at most 10,000, of 4 MiB', () => {
    const many = Array.from({ length: 10_001 }, (_, i) => row(i + 2, '1', { tags: [`${i}`] }));
    expect(merged({ rows: 'consecutive' }, many)[0]!.problem).toContain('has more than 10000 rows');
    expect(merged({ rows: 'consecutive' }, many.slice(1))[0]!.problem).toBeNull();
    const large = Array.from({ length: 5 }, () => row(2, '1', {}, { sizeBytes: 1024 * 1024 }));
    expect(merged({ rows: 'all' }, large)[0]!.problem).toContain('or 4 MiB in one group');
  });

  it('end the file if they take too much memory together', () => {
    const groups = new RowGroups({ rows: 'all' });
    const fill = () => {
      for (let i = 0; i < 100; i++) {
        groups.add(row(i + 2, `${i}`, {}, { sizeBytes: 1024 * 1024 }));
      }
    };
    expect(fill).toThrow('the rows take more than 48 MiB of memory, so they cannot be grouped');
  });
});
