import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileFinder } from './file-finder.ts';
import { formsOf } from './name-forms.ts';

let folder: string;
let finder: FileFinder;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-finder-'));
  finder = new FileFinder({ stat: async () => undefined });
});
afterEach(() => rm(folder, { recursive: true }));

async function write(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), 'x');
  }
}

/** The path of what was found below the folder, or why nothing was. */
async function find(given: string): Promise<string> {
  const found = await finder.find(folder, given);
  if ('problem' in found) return `${found.isMissing ? 'missing: ' : ''}${found.problem}`;
  return 'path' in found ? found.path.slice(folder.length + 1) : found.key;
}

it.each([
  ['as written', 'audio/Café Noir.mp3', 'audio/Café Noir.mp3'],
  ['accents in one character, file in two', 'audio/Café Noir.mp3', 'audio/Cafe\u0301 Noir.mp3'],
  ['accents in two characters, file in one', 'audio/Sen\u0303orita.mp3', 'audio/Señorita.mp3'],
  ['syllables of Hangul', 'audio/한국어.mp3', `audio/${'한국어'.normalize('NFD')}.mp3`],
  ['marks of kana', `audio/${'プレゼント'.normalize('NFD')}.mp3`, 'audio/プレゼント.mp3'],
  ['forms that differ by folder', 'é/ü.mp3', 'e\u0301/ü.mp3'],
  ['lower case', 'audio/rain.wav', 'audio/rain.WAV'],
  ['the case of a folder', 'Audio/Dunkel.mp3', 'audio/Dunkel.mp3'],
  ['backslashes', 'audio\\rain.WAV', 'audio/rain.WAV'],
  ['a dot and a slash', './audio/rain.WAV', 'audio/rain.WAV'],
  ['a dot and a backslash', '.\\audio\\Dunkel.mp3', 'audio/Dunkel.mp3'],
  ['percent-encoding', 'audio/two%20words.mp3', 'audio/two words.mp3'],
  ['a percent sign', 'audio/100% pure.mp3', 'audio/100% pure.mp3'],
  ['an encoded percent sign', 'audio/100%25%20pure.mp3', 'audio/100% pure.mp3'],
  ['percent-encoding in the name of the file', 'a%20b.mp3', 'a%20b.mp3'],
  ['signs of URLs', 'audio/a#b?.mp3', 'audio/a#b?.mp3'],
  ['two slashes', 'audio//Dunkel.mp3', 'audio/Dunkel.mp3'],
  ['all steps', '.\\Audio\\Se%c3%b1orita.MP3', 'audio/Sen\u0303orita.mp3'],
])('finds a file by %s', async (_, given, file) => {
  await write(file);
  expect(await find(given)).toBe(file);
});

it('prefers what is written, and decodes once', async () => {
  await write('a%20b.mp3', 'a b.mp3', 'A.mp3', 'a.mp3', 'x%20y.mp3');
  expect(await find('a%20b.mp3')).toBe('a%20b.mp3');
  expect(await find('A.mp3')).toBe('A.mp3');
  expect(await find('x%2520y.mp3')).toBe('x%20y.mp3');
});

it('takes a name of another case only if one file fits', async () => {
  await write('Rain.mp3', 'RAIN.mp3', 'a/Snow.mp3', 'A/snow.mp3');
  expect(await find('rain.mp3')).toMatch(
    /^missing: names "rain.mp3", which does not exist; 2 files differ from it only in case/,
  );
  expect(await find('a/SNOW.mp3')).toContain('2 files differ from it only in case');
});

it.each([
  ['a plus sign', 'audio/two+words.mp3', 'audio/two words.mp3'],
  ['no folder', 'two words.mp3', 'audio/two words.mp3'],
  ['another folder', 'wav/two words.mp3', 'audio/two words.mp3'],
  ['no extension', 'audio/two words', 'audio/two words.mp3'],
  ['another extension', 'audio/two words.mp4', 'audio/two words.mp3'],
  ['a space that does not break', 'audio/two\u00a0words.mp3', 'audio/two words.mp3'],
  ['two spaces', 'audio/two  words.mp3', 'audio/two words.mp3'],
])('names the path and the nearest file for %s', async (_, given, near) => {
  await write('audio/two words.mp3', 'audio/Dunkel.mp3');
  expect(await find(given)).toBe(
    `missing: names ${JSON.stringify(given).replace('\u00a0', '\\u00a0')}, which does not exist; the nearest file is ${JSON.stringify(near)}`,
  );
});

it.each([
  '/audio/Dunkel.mp3',
  'D:\\delivery\\audio\\Dunkel.mp3',
  'audio/../audio/Dunkel.mp3',
  '/tmp/in/audio/dunkel.MP3',
  'file:///in/audio/Dunkel.mp3',
  'https://example.com/Dunkel.mp3',
])('names the nearest file for a path elsewhere: %s', async (given) => {
  await write('audio/Dunkel.mp3');
  expect(await find(given)).toMatch(
    /^must (lie beneath the folder|be a path or a key, not a URL).*; it is ".*"; the nearest file is "audio\/Dunkel.mp3"$/,
  );
});

it('never leaves the folder at any step, and shows no names from elsewhere', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'stave-outside-'));
  await writeFile(join(outside, 'Secret.mp3'), 'x');
  await symlink(outside, join(folder, 'up'));
  await symlink(join(outside, 'Secret.mp3'), join(folder, 'Link.mp3'));
  const outsides = ['%2e%2e/a.mp3', '..%5ca.mp3', '%2Fetc/passwd', 'a%00.mp3', 'a\0.mp3'];
  for (const given of [...outsides, 'up/Secret.mp3', 'Link.mp3', 'link.mp3']) {
    expect(await find(given), given).toBe('must lie beneath the folder of the file that names it');
  }
  for (const given of ['up/secret.mp3', 'up/Secrets.mp3']) {
    expect(await find(given)).toBe(`missing: names "${given}", which does not exist`);
  }
  await rm(outside, { recursive: true });
});

it('says of a name that is too long, and of a wrong one in a crowded folder, that it does not exist', async () => {
  expect(await find(`${'x'.repeat(300)}.mp3`)).toMatch(/^missing: names "…x/);
  for (let i = 0; i < 200; i++) expect(await find(`${i}/no.mp3`)).toContain('does not exist');
});

it('looks up a name once in each of its forms', () => {
  expect(formsOf('audio/rain.wav')).toEqual(['audio/rain.wav']);
  expect(formsOf('.\\rain.wav')).toEqual(['.\\rain.wav', 'rain.wav']);
  expect(formsOf('caf%c3%a9')).toEqual(['caf%c3%a9', 'caf\u00e9', 'cafe\u0301']);
});

it('keeps its hints for the misses that are told', async () => {
  await write('audio/Dunkel.mp3');
  for (const given of ['dunkel.mp4', '../Dunkel.mp3', 'https://example.com/Dunkel.mp3']) {
    for (let i = 0; i < 101; i++) {
      const found = await finder.find(folder, given, { withHint: false });
      expect(JSON.stringify(found)).not.toContain('nearest');
    }
  }
  expect(await find('Dunkel.mp3')).toContain('the nearest file is "audio/Dunkel.mp3"');
});
