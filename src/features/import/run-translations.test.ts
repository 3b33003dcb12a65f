import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';
import { trackMaker } from './canonical/track.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const GERMAN = { de: { name: ' Nachtfähre ', tags: ['Klavier', 'Klavier'] } };

describe('an import of translations', () => {
  it('reads them, keeps them in a repeated old file, and removes them by {}', async () => {
    const run = async (name: string, members: object) => {
      const path = await bench.write(name, ndjson(record('1', members)));
      return (await bench.run([path])).summary;
    };
    expect(await run('a.ndjson', { language: 'pt-br', translations: GERMAN })).toMatchObject({
      created: 1,
    });
    expect(await bench.store.languages.counts()).toMatchObject([{ language: 'de', tracks: 1 }]);
    expect(await run('b.ndjson', {})).toMatchObject({ unchanged: 1 });
    expect(await run('c.ndjson', { translations: {} })).toMatchObject({ updated: 1 });
    expect(await bench.store.languages.counts()).toEqual([]);
  });

  it.each([
    [{ language: 'xx_YY' }, 'language'],
    [{ translations: { xx_YY: { name: 'A' } } }, 'translations.xx_YY'],
    [{ translations: { de: { name: ' ' } } }, 'translations.de.name'],
    [{ translations: { de: { name: 'a'.repeat(1_001) } } }, 'translations.de.name'],
    [{ translations: { de: { name: 'A', tags: ['a'.repeat(301)] } } }, 'translations.de.tags'],
    [{ translations: { de: { name: 'A' }, DE: { name: 'B' } } }, 'translations.DE'],
    [{ translations: { de: {} } }, 'translations'],
    [{ translations: ['de'] }, 'translations'],
    [
      {
        translations: Object.fromEntries(
          Array.from({ length: 51 }, (_, i) => [`de-x-${i}`, { name: 'A' }]),
        ),
      },
      'translations',
    ],
  ])('rejects %j by its field', (members, field) => {
    const made = trackMaker({ source: 's' })({ ...record('1'), ...members });
    expect(made.problems?.map((problem) => problem.field)).toEqual([field]);
  });
});
