import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { stave, temporaryFolder } from '../harness/cli.ts';
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
    const actions = [...text.matchAll(/action="\/tracks\/[\w-]+\/(\w+)"/g)];
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
