import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { someTracks, stave, staveJson, temporaryFolder } from '../harness/cli.ts';

const folder = temporaryFolder();
const data = folder.at('data');
const NAME = `Für Elise ${'x'.repeat(60)}`;
beforeAll(async () => {
  await writeFile(folder.at('tracks.ndjson'), someTracks(2));
  await stave(data, ['import', folder.at('tracks.ndjson')]);
  await staveJson(data, ['clients', 'create', '-n', NAME, '-s', 'tracks']);
  await staveJson(data, ['playlists', 'create', '-n', '=Best', '-t', 'track-1']);
  await stave(data, ['tracks', 'takedown', 'track-2', '--reason', 'a, b']);
});
afterAll(() => folder[Symbol.dispose]());

it.each([
  [['clients', 'list'], /^ID,NAME,STATE,.*\n[^\n]+,Für Elise x{60},enabled,[^\n]*\n$/],
  [['clients', 'show', NAME], /^SECRET,MODE,.*\n\nDAY,.*\n\nSECRET,ADDRESS,[^\n]*\n$/s],
  [['playlists', 'list'], /^PLAYLIST,NAME,.*\nbest,"'=Best",1,[^\n]*\n$/],
  [['playlists', 'show', 'best'], /^#,TRACK,NAME,STATE\n1,track-1,Track 1,live\n$/],
  [['tracks', 'find', 'track'], /^STATE,ISRC,SOURCE,NAME,ARTISTS,SLUG\n(?:[^\n]+\n){2}$/],
  [['tracks', 'find', 'nothing'], /^STATE,ISRC,SOURCE,NAME,ARTISTS,SLUG\n$/],
  [['log', '--kind', 'taken_down'], /^#,WHEN,WHAT,WHICH,BY,REASON\n[^\n]*,"a, b"\n$/],
  [['licenses', 'list'], /^NUMBER,STATE,CLIENT,[^\n]*\n$/],
  [['usage', 'summary', '--from', '2026-01-01', '--to', '2026-01-02'], /^CLIENT,STREAMS,.*\n$/],
])('%j prints its table as CSV for programs', async (args, csv) => {
  const { code, stdout, stderr } = await stave(data, [...args, '--csv']);
  expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(csv), '']);
});

it.each([
  [['clients', 'list', '--csv', '--json'], "option '--csv' cannot be used with option '--json'"],
  [['keys', 'rotate', '--csv'], "unknown option '--csv'"],
])('%j is refused', async (args, problem) => {
  const { code, stdout, stderr } = await stave(data, args);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(problem)]);
});
