import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { stave, staveJson, temporaryFolder } from '../harness/cli.ts';

const TRACK = {
  externalId: '1',
  name: 'Night Ferry',
  type: 'music',
  filters: ['mood:Calm'],
  translations: { 'DE-ch': { name: 'Nachtschiff', tags: ['Klavier'] } },
};

it('translates filters and playlists, and counts translations', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const write = async (name: string, lines: readonly object[]) => {
    await writeFile(folder.at(name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return folder.at(name);
  };
  await staveJson(data, ['import', await write('tracks.ndjson', [TRACK])]);
  const german = { filter: 'calm', language: 'de', name: 'Ruhig' };
  const names = await write('names.ndjson', [german]);
  expect(await staveJson(data, ['filters', 'translate', names])).toEqual({ names: 1, changed: 1 });
  await staveJson(data, ['playlists', 'create', '--name', 'Late']);
  const translate = ['playlists', 'translate', 'late', '--language', 'DE'];
  expect(await staveJson(data, [...translate, '--name', 'Spät'])).toMatchObject({
    language: 'de',
    changed: true,
  });
  const refused = await stave(data, [...translate, '--name', 'a'.repeat(201)]);
  expect(refused.stderr).toBe('stave: A playlist needs a name of 1 to 200 characters.\n');
  expect(await staveJson(data, ['languages'])).toEqual({
    items: [
      { language: 'de', tracks: 0, filters: 1, playlists: 1 },
      { language: 'de-CH', tracks: 1, filters: 0, playlists: 0 },
    ],
    original: 'en',
  });
  await staveJson(data, [...translate, '--remove']);
  const none = await write('none.ndjson', [{ ...german, name: null }]);
  expect(await staveJson(data, ['filters', 'translate', none])).toEqual({ names: 1, changed: 1 });
  const { items } = await staveJson(data, ['languages']);
  expect(items).toEqual([{ language: 'de-CH', tracks: 1, filters: 0, playlists: 0 }]);
});
