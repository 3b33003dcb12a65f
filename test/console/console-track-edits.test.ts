import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { serveConsole } from './console-client.ts';

const unescaped = (text: string) =>
  text.replace(/&(lt|gt|quot|amp|#39);/g, (_, name) => {
    return { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }[name as string] ?? '';
  });

/** The values of the form that edits the track of a page. */
function formOf(page: string): Record<string, string> {
  const [form = ''] = /<form method="post" action="[^"]*\/edit".*?<\/form>/s.exec(page) ?? [];
  const inputs = [...form.matchAll(/<input [^>]*name="(\w+)"[^>]*value="([^"]*)"/g)];
  const values = inputs.map(([, name, value]) => [name!, unescaped(value!)]);
  const [, type = ''] = /value="(\w+)" selected/.exec(form) ?? [];
  const { allowMissing: _, ...given } = Object.fromEntries(values);
  return { ...given, type };
}

it('edits a track, shows what was delivered, reverts, and refuses what is stale or wrong', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const file = folder.at('tracks.ndjson');
  const deliver = async (name: string) => {
    const tags = ['<b>', 'a|b'];
    const artists = [{ name: 'Mara "M" Lindt', isPrimary: true }];
    await writeFile(file, JSON.stringify({ externalId: '1', name, type: 'music', tags, artists }));
    await stave(data, ['import', file, '--source', 'label-a']);
  };
  const shown = () => staveJson(data, ['tracks', 'show', 'nihgt']);
  await deliver('Nihgt');
  await using console_ = await serveConsole({ ...folder, path: data });
  const { client } = console_;
  await client.login();
  const page = async () => (await client.get('/tracks/nihgt')).text;
  const { id } = await shown();

  const untouched = formOf(await page());
  expect(untouched).toMatchObject({ name: 'Nihgt', tags: '<b>|a\\|b', type: 'music' });
  const same = await client.submit(`/tracks/${id}/edit`, untouched);
  expect(same.text).toContain('Nihgt had these values already.');
  expect((await shown()).edits).toEqual({});

  const isrc = 'DEA120000001';
  const { text } = await client.submit(`/tracks/${id}/edit`, { ...untouched, name: 'Night', isrc });
  expect(text).toContain('It takes effect within a second.');
  expect(text).toMatch(/<td>Name<\/td><td>Night<\/td><td>Nihgt<\/td><td>console:console<\/td>/);
  expect(await shown()).toMatchObject({
    ...{ name: 'Night', isrc, tags: ['<b>', 'a|b'] },
    edits: { name: { delivered: 'Nihgt', by: 'console:console' }, isrc: { delivered: '' } },
  });

  const stale = formOf(await page());
  await deliver('Other');
  await stave(data, ['tracks', 'edit', 'nihgt', '--revert', 'name']);
  const conflict = await client.post(`/tracks/${id}/edit`, { ...stale, bpm: '90' });
  expect(conflict.status).toBe(409);
  expect(conflict.text).toContain('The track was changed meanwhile, so nothing was saved.');
  expect(conflict.text).toMatch(/<td>Name<\/td><td>Other<\/td><td>Night<\/td>/);
  const revert = { field: 'isrc', version: stale.version! };
  expect((await client.post(`/tracks/${id}/revert`, revert)).status).toBe(409);
  expect(await shown()).toMatchObject({ name: 'Other', bpm: '', isrc });

  // The form that was refused is about the present values.
  const again = formOf(conflict.text);
  expect(again).toMatchObject({ name: 'Night', bpm: '90' });
  const wrong = await client.post(`/tracks/${id}/edit`, {
    ...again,
    bpm: 'fast',
    filters: 'mood:X',
  });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain('bpm must be a number between 0 and 1000');
  expect(formOf(wrong.text)).toMatchObject({
    version: again.version,
    bpm: 'fast',
    filters: 'mood:X',
  });
  const unknown = await client.post(`/tracks/${id}/edit`, { ...again, filters: 'mood:X' });
  expect(unknown.text).toContain('There is no filter mood:X: to create it, tick that it may be');
  await client.submit(`/tracks/${id}/edit`, { ...again, filters: 'mood:X', allowMissing: 'yes' });
  expect(await shown()).toMatchObject({ name: 'Night', bpm: '90', filters: [{ slug: 'x' }] });

  const reverted = await client.submit(`/tracks/${id}/revert`, { field: 'isrc' });
  expect(reverted.text).not.toContain('<td>ISRC</td>');
  expect(await shown()).toMatchObject({ isrc: '' });
  const none = await client.post(`/tracks/${id}/revert`, { field: 'slug' });
  expect(none.text).toContain('The form names no field of a track');
});
