import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CatalogIndex, IndexEntry } from '../catalog/catalog-index.ts';
import { fold } from '../catalog/fold.ts';
import { buildIndex } from './build-index.ts';
import { NaiveIndex } from './naive-index.test-support.ts';

const folder = new URL('../../../shared/data/', import.meta.url);
const files = ['freemusi', 'incompetech', 'fma-excerpt', 'openscore-lieder', 'mutopia', 'sfx'];
const isThere = existsSync(folder);

function entriesOf(names: readonly string[]): IndexEntry[] {
  return names
    .map((name) => gunzipSync(readFileSync(new URL(`${name}.ndjson.gz`, folder))).toString())
    .flatMap((text) => text.split('\n'))
    .filter((line) => line !== '')
    .map((line, i) => {
      const { name, type, releaseDate } = JSON.parse(line);
      return {
        id: String(i).padStart(8, '0'),
        name: name ?? '',
        type,
        hasVocals: false,
        releasedAt: Date.parse(releaseDate ?? '') || 0,
        filterIds: [],
        isrc: '',
      };
    });
}

async function indexOver(entries: IndexEntry[]): Promise<CatalogIndex> {
  return buildIndex(
    (async function* () {
      yield entries;
    })(),
  );
}

const title = `over the real names of ../shared/data${isThere ? '' : ' (LEFT OUT: it is not there)'}`;

describe.skipIf(!isThere)(title, () => {
  let entries: IndexEntry[];
  let index: CatalogIndex;
  beforeAll(async () => {
    entries = entriesOf(files);
    index = await indexOver(entries);
  });

  it.each([
    ['moonlight sonata', ['Moonlight Sonata', 'Sonata No. 14 “Moonlight” (1st Movement: Adagio']],
    ['moonlght sonata', ['Moonlight Sonata', 'Sonata No. 14 “Moonlight” (1st Movement: Adagio']],
    ['ave maria', ['Ave Maria', 'Ave Maria', 'Ave Maria', 'Ave Maria', 'Ave Maria: Meditation']],
    ['fur elise', ['Für Elise', 'Für Elise']],
    ['STÄNDCHEN', ['Ständchen', 'Ständchen', 'Ständchen, D.889', 'Das Ständchen', 'Morgenst']],
    ['erlkonig', ['Erlkönig', 'Erlkönig (alternative typesetting)', 'Der Erlkönig']],
    ['der erlkö', ['Der Erlkönig', 'Der Erlkönig']],
    ['weasel scheming', ['Scheming Weasel (', 'Scheming Weasel (']],
    ['schemin weasl', ['Scheming Weasel (', 'Scheming Weasel (']],
    ['c funk', ['C-Funk']],
    ['vocalise no 1', ['Vocalise № 1']],
    ['dog bark', ['dog_bark', 'dog barking.wav', 'Dog Bark 4.wav']],
    ['dont stop', ["Don't Stop"]],
    ['*****', ['*****']],
    ['...', ['...', '...alle demonen uit de hel']],
    ['x', ['X', 'X', 'X']],
  ])('%s finds what a person would expect on top', (text, expected) => {
    const { ids } = index.search({ text }, 0, expected.length);
    const names = ids.map((id) => entries[Number(id)]!.name);
    expect(names.map((name, i) => name.slice(0, expected[i]!.length))).toEqual(expected);
  });

  it('finds every name by itself, with nothing but its equals before it', () => {
    for (let i = 0; i < entries.length; i += 97) {
      const { name, id } = entries[i]!;
      if (name.trim() === '') {
        continue;
      }
      const { ids } = index.search({ text: name }, 0, 1_000);
      const before = ids.slice(0, ids.indexOf(id)).map((one) => entries[Number(one)]!.name);
      expect(ids).toContain(id);
      expect(before.filter((one) => fold(one) !== fold(name))).toEqual([]);
    }
  });

  it('agrees with the rules written plainly', async () => {
    const some = entriesOf(['incompetech', 'openscore-lieder', 'sfx']);
    const [small, naive] = [await indexOver(some), new NaiveIndex(some)];
    const texts = [
      'night',
      'der',
      'e',
      'lied de',
      'ständ',
      'morning dance',
      'suny morning',
      '(',
      '!',
    ];
    for (const text of texts) {
      expect(small.search({ text }, 0, 10_000)).toEqual(naive.search({ text }, 0, 10_000));
    }
  });
});
