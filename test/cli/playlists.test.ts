import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Json,
  someTracks,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = temporaryFolder();
  writeFileSync(folder.at('tracks.ndjson'), someTracks(5));
  await staveJson(folder.path, ['import', folder.at('tracks.ndjson')]);
});
afterAll(() => folder[Symbol.dispose]());

const playlists = (...args: string[]) => staveJson(folder.path, ['playlists', ...args]);
const refused = async (...args: string[]) => {
  const ran = await stave(folder.path, ['playlists', ...args]);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
  return ran.stderr;
};
const order = async (slug: string): Promise<string[]> =>
  (await playlists('show', slug)).tracks.map((track: { slug: string }) => track.slug);

describe('stave playlists create', () => {
  it('prints exactly id and slug as JSON', async () => {
    const created = await playlists(
      'create',
      '--name',
      'Night Drive',
      '--tracks',
      'track-2,track-1',
    );
    expect(created).toEqual({ id: expect.any(String), slug: 'night-drive' });
    expect(await order('night-drive')).toEqual(['track-2', 'track-1']);
    const again = await playlists('create', '--name', 'Night Drive');
    expect(again.slug).not.toBe('night-drive');
  });

  it('names all unknown tracks at once', async () => {
    const line = await refused('create', '--name', 'X', '--tracks', 'track-1,nope,track-2,neither');
    expect(line).toBe('stave: There are no tracks nope, neither.\n');
  });

  it('refuses a track twice and an empty name', async () => {
    expect(await refused('create', '--name', 'X', '--tracks', 'track-1,track-1')).toContain(
      'twice',
    );
    expect(await refused('create', '--name', ' ')).toContain('name');
    expect((await playlists('list')).map((one: Json) => one.name)).not.toContain('X');
  });
});

describe('stave playlists list', () => {
  it('refuses a client that does not exist', async () => {
    const ran = await stave(folder.path, ['playlists', 'list', '--client', 'nobody']);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: There is no client[^\n]*\n$/);
  });
});

describe('stave playlists update and delete', () => {
  it('change name and description, keep the slug', async () => {
    const { slug } = await playlists('create', '--name', 'Drafts');
    expect(
      await playlists('update', slug, '--name', 'Final', '--description', 'All of it.'),
    ).toMatchObject({ slug: 'drafts', name: 'Final', description: 'All of it.' });
    expect(await refused('update', slug)).toContain('nothing to change');
    await playlists('delete', slug);
    expect(await refused('show', slug)).toContain('no playlist drafts');
    expect(await refused('delete', slug)).toContain('no playlist drafts');
  });
});

describe('stave playlists add, remove and reorder', () => {
  it('edit the list', async () => {
    const { slug } = await playlists('create', '--name', 'Edited', '--tracks', 'track-1,track-2');
    await playlists('add', slug, '--tracks', 'track-3');
    await playlists('add', slug, '--tracks', 'track-4,track-5', '--position', '2');
    expect(await order(slug)).toEqual(['track-1', 'track-4', 'track-5', 'track-2', 'track-3']);
    await playlists('remove', slug, '--tracks', 'track-5,track-1');
    expect(await order(slug)).toEqual(['track-4', 'track-2', 'track-3']);
    await playlists('reorder', slug, '--track', 'track-3', '--position', '1');
    expect(await order(slug)).toEqual(['track-3', 'track-4', 'track-2']);
    await playlists('reorder', slug, '--track', 'track-3', '--position', '3');
    expect(await order(slug)).toEqual(['track-4', 'track-2', 'track-3']);
    await playlists('reorder', slug, '--tracks', 'track-2,track-3,track-4');
    expect(await order(slug)).toEqual(['track-2', 'track-3', 'track-4']);
  });

  it('refuse invalid changes, and change nothing', async () => {
    const { slug } = await playlists('create', '--name', 'Kept', '--tracks', 'track-1,track-2');
    expect(await refused('add', slug, '--tracks', 'track-2,track-3')).toContain(
      'track-2 is already in',
    );
    expect(await refused('add', slug, '--tracks', 'track-3', '--position', '4')).toContain(
      'from 1 to 3',
    );
    expect(await refused('remove', slug, '--tracks', 'track-3')).toContain('track-3 is not in');
    expect(await refused('reorder', slug, '--tracks', 'track-2')).toContain('1 of');
    expect(await refused('reorder', slug, '--track', 'track-2', '--position', '3')).toContain(
      '1 to 2',
    );
    expect(await refused('reorder', slug)).toContain('either');
    expect(await order(slug)).toEqual(['track-1', 'track-2']);
  });

  it('lose no track when two commands add tracks at once', async () => {
    const { slug } = await playlists('create', '--name', 'Together');
    const tracks = ['track-1', 'track-2', 'track-3', 'track-4'];
    await Promise.all(tracks.map((track) => playlists('add', slug, '--tracks', track)));
    expect((await order(slug)).sort()).toEqual(tracks);
  });
});

describe('stave playlists grant and revoke', () => {
  it('can be repeated', async () => {
    const { clientId } = await staveJson(folder.path, [
      'clients',
      'create',
      '-n',
      'A',
      '-s',
      'playlists',
    ]);
    const { id, slug } = await playlists('create', '--name', 'Shared', '--tracks', 'track-1');
    const result = { id, slug, clientId };
    const grant = () => playlists('grant', slug, '--client', clientId);
    const revoke = () => playlists('revoke', slug, '--client', clientId);
    expect(await grant()).toEqual({ ...result, granted: true, changed: true });
    expect(await grant()).toEqual({ ...result, granted: true, changed: false });
    expect(await playlists('list', '--client', clientId)).toMatchObject([
      { slug, trackCount: 1, clients: [clientId] },
    ]);
    expect(await revoke()).toEqual({ ...result, granted: false, changed: true });
    expect(await revoke()).toEqual({ ...result, granted: false, changed: false });
    expect(await playlists('list', '--client', clientId)).toEqual([]);
  });

  it('name an unknown playlist or client', async () => {
    expect(await refused('grant', 'nope', '--client', 'x')).toContain('no playlist nope');
    const { slug } = await playlists('create', '--name', 'Lonely');
    expect(await refused('grant', slug, '--client', 'nobody')).toContain('no client nobody');
  });
});

describe('stave tracks takedown', () => {
  it('keeps the place of the track in a playlist', async () => {
    const { slug } = await playlists('create', '--name', 'Down', '--tracks', 'track-4,track-5');
    await staveJson(folder.path, ['tracks', 'takedown', 'track-4']);
    expect((await playlists('list')).find((one: Json) => one.slug === slug).trackCount).toBe(1);
    expect((await playlists('show', slug)).tracks).toMatchObject([
      { slug: 'track-4', state: 'taken_down' },
      { slug: 'track-5', state: 'live' },
    ]);
    await staveJson(folder.path, ['tracks', 'restore', 'track-4']);
    expect((await playlists('list')).find((one: Json) => one.slug === slug).trackCount).toBe(2);
  });
});
