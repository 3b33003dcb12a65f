import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { serveConsole } from './console-client.ts';

const FIELDS = { type: 'music', durationSeconds: 60, releaseDate: '2024-01-01', filters: [] };
const track = (name: string, more: object = {}) =>
  JSON.stringify({ externalId: name, name, ...FIELDS, ...more });

it('offers for every state of a track what the command line can do', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const file = folder.at('tracks.ndjson');
  const later = { availability: [{ from: '2100-01-01' }] };
  const kept = [track('Live'), track('Down'), track('Later', later)];
  await writeFile(file, [...kept, track('Gone')].join('\n'));
  await stave(data, ['import', file, '--source', 'label-a']);
  await writeFile(file, kept.join('\n'));
  await stave(data, ['import', file, '--source', 'label-a', '--prune', '--prune-limit', '50']);
  await stave(data, ['tracks', 'takedown', 'down']);
  await using console_ = await serveConsole({ ...folder, path: data });
  const { client } = console_;
  await client.login();

  const offered = async (slug: string) => {
    const { text } = await client.get(`/tracks/${slug}`);
    const state = /<h1>[^<]*<span class="badge \w+">([^<]*)/.exec(text)?.[1];
    const actions = [...text.matchAll(/action="\/tracks\/[\w-]+\/(takedown|restore)"/g)];
    return { text, state, actions: actions.map(([, action]) => action).sort() };
  };
  expect(await offered('live')).toMatchObject({ state: 'live', actions: ['takedown'] });
  expect(await offered('down')).toMatchObject({ state: 'taken down', actions: ['restore'] });
  const gone = await offered('gone');
  expect(gone).toMatchObject({ state: 'withdrawn', actions: ['restore', 'takedown'] });
  const before = await offered('later');
  expect(before).toMatchObject({ state: 'unavailable', actions: ['takedown'] });
  expect(before.text).toContain('comes back with the next one unless you take it down');

  const { text } = await client.submit('/tracks/later/takedown', { reason: 'claim' });
  expect(text).toContain('is taken down. It takes effect within a second.');
  expect(await offered('later')).toMatchObject({ state: 'taken down', actions: ['restore'] });
  const { text: restored } = await client.submit('/tracks/later/restore');
  expect(restored).toContain('is unavailable: it is outside of its periods');
  expect(await offered('later')).toMatchObject({ state: 'unavailable' });
});

it('lists the twins of a track, and takes down all tracks of its ISRC', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const file = folder.at('tracks.ndjson');
  const isrc = 'DEA120000001';
  const artists = [{ name: 'Mara', role: 'MAIN_ARTIST' }];
  await writeFile(file, [track('Drive', { isrc, artists }), track('Other')].join('\n'));
  await stave(data, ['import', file, '--source', 'label-a']);
  const copies = [track('Drive (Remaster)', { isrc }), track('Drive', { artists })];
  await writeFile(file, copies.join('\n'));
  await stave(data, ['import', file, '--source', 'label-b']);

  const dry = await stave(data, ['tracks', 'takedown', 'drive', '--dry-run']);
  expect(dry.stdout).toContain('these tracks seem to be the same recordings, and stay as they are');
  expect(dry.stdout).toMatch(
    /^live +ISRC +DEA120000001 +label-b +Drive \(Remaster\) +drive-remaster$/m,
  );
  expect(dry.stdout).toMatch(/^live +name, artist, length +label-b +Drive +drive-\w+$/m);
  const report = await staveJson(data, ['tracks', 'report', 'drive']);
  expect(report.twins).toMatchObject([
    { name: 'Drive (Remaster)', hasSameIsrc: true },
    { name: 'Drive', hasSameIsrc: false },
  ]);
  expect((await staveJson(data, ['tracks', 'report', 'other'])).twins).toEqual([]);

  await using console_ = await serveConsole({ ...folder, path: data });
  const { client } = console_;
  await client.login();
  const { text: page } = await client.get('/tracks/drive');
  expect(page).toContain('Also 1 other track with this ISRC');
  expect(page).toMatch(/Drive \(Remaster\)<\/a><\/td><td>ISRC/);
  expect(page).toMatch(/Drive<\/a><\/td><td>name, artist, length/);
  const { text } = await client.submit('/tracks/drive/takedown', { allOfIsrc: 'yes' });
  expect(text).toContain('2 tracks are taken down.');
  const json = await staveJson(data, ['tracks', 'takedown', '--isrc', 'DE-A12-00-00001']);
  expect(json).toMatchObject({ unchangedCount: 2, twins: [{ name: 'Drive', state: 'live' }] });
});
