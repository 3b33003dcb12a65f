import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { fold } from '../../common/text/search-form.ts';
import { repaired } from '../../features/import/mapping/texts.ts';
import type { CatalogIndex, IndexEntry } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';
import { NaiveIndex } from './naive-index.test-support.ts';

const folder = new URL('../../../../shared/data/', import.meta.url);
const files = ['freemusi', 'incompetech', 'fma-excerpt', 'openscore-lieder', 'mutopia', 'sfx'];
const isThere = existsSync(folder);

const fixture = readFileSync(new URL('relevance.txt', import.meta.url), 'utf8');
/**
 * A query as a JSON string and the number of tracks that it finds. The found names follow, indented by two
 * spaces.
 */
const QUERY = /^(".*"): \d+$/;
const TOP = 5;

interface Named {
  name: string;
  type: 'music' | 'sfx';
  releaseDate?: string;
}

function namesOf(file: string): Named[] {
  return gunzipSync(readFileSync(new URL(`${file}.ndjson.gz`, folder)))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .map(({ name = '', ...others }) => ({ name: repaired(name, 'double-utf8'), ...others }));
}

function extraNames(): Named[] {
  const lines = fixture.split('\n').filter((line) => line.startsWith('+ '));
  return lines.map((line) => ({ name: line.slice(2), type: 'music' }));
}

/**
 * The entries as the store has them: in NFC and trimmed. The row id of a track is its position, counted from
 * 1.
 */
function entriesOf(names: readonly Named[]): IndexEntry[] {
  return names.map(({ name, type, releaseDate = '' }, i) => ({
    rowId: i + 1,
    id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
    name: name.normalize('NFC').trim(),
    type,
    hasVocals: false,
    releasedAt: Date.parse(releaseDate) || 0,
    durationSeconds: 0,
    bpm: 0,
    songKeys: [],
    filterIds: [],
    isrc: '',
    region: 'WORLD',
    artists: [],
    tags: [],
  }));
}

/** The queries of the fixture with their current results. */
function withResults(entries: readonly IndexEntry[], index: CatalogIndex): string {
  const given = fixture.split('\n').filter((line) => !line.startsWith('  '));
  return given
    .flatMap((line) => {
      const query = QUERY.exec(line)?.[1];
      if (query === undefined) {
        return [line];
      }
      const { total, rowIds } = index.search(
        { text: JSON.parse(query) },
        { offset: 0, limit: TOP },
      );
      return [
        `${query}: ${total}`,
        ...rowIds.map((rowId) => `  ${visible(entries[rowId - 1]!.name)}`),
      ];
    })
    .join('\n');
}

/** Replaces invisible characters by their code points. */
function visible(name: string): string {
  return name.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

const title = `an index of the real names in ../shared/data${isThere ? '' : ' (SKIPPED: the folder is missing)'}`;

describe.skipIf(!isThere)(title, () => {
  let entries: IndexEntry[];
  let index: CatalogIndex;
  beforeAll(() => {
    entries = entriesOf([...files.flatMap(namesOf), ...extraNames()]);
    index = builtOver(entries);
  });

  it('returns the totals and the first results that relevance.txt lists', async () => {
    await expect(withResults(entries, index)).toMatchFileSnapshot('relevance.txt');
  });

  it('is searched with many queries, of which no two are equal', () => {
    const queries = fixture.split('\n').flatMap((line) => QUERY.exec(line)?.[1] ?? []);
    expect(queries.length).toBeGreaterThan(100);
    expect(new Set(queries).size).toBe(queries.length);
  });

  it('finds every name by its own text, after no names but equal ones', () => {
    for (let i = 0; i < entries.length; i += 97) {
      const { name, rowId } = entries[i]!;
      if (name === '') {
        continue;
      }
      const { rowIds } = index.search({ text: name }, { offset: 0, limit: 1_000 });
      const before = rowIds.slice(0, rowIds.indexOf(rowId)).map((one) => entries[one - 1]!.name);
      expect(rowIds).toContain(rowId);
      expect(before.filter((one) => fold(one) !== fold(name))).toEqual([]);
    }
  });

  it('returns the same results and suggestions as NaiveIndex', () => {
    const some = entries.filter((_, i) => i % 8 === 0);
    const [index, naive] = [builtOver(some), new NaiveIndex(some)];
    const texts = ['night', 'der', 'e', 'lied de', 'ständ', 'suny morning', '(', '!', 'の', 'qzx'];
    for (const text of texts) {
      for (const sort of ['relevance', 'name'] as const) {
        const whole = { offset: 0, limit: some.length, sort, facets: true };
        expect(index.search({ text }, whole)).toEqual(naive.search({ text }, whole));
      }
      expect(index.suggest(text, 100)).toEqual(naive.suggest(text, 100));
    }
  });
});
