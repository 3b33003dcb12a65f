import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  someTracks,
  stave,
  staveJson,
  staveProcess,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = temporaryFolder();
  writeFileSync(folder.at('three.ndjson'), someTracks(3));
  const bad = JSON.stringify({ externalId: 'x', name: 'X', type: 'noise' });
  writeFileSync(folder.at('one-bad.ndjson'), `${someTracks(2)}${bad}\n`);
});
afterAll(() => folder[Symbol.dispose]());

describe('stave import', () => {
  it('prints its result as JSON, and changes nothing the second time', async () => {
    using data = temporaryFolder();
    const result = { read: 3, created: 3, updated: 0, unchanged: 0, rejected: 0 };
    const args = ['import', folder.at('three.ndjson')];
    expect(await staveJson(data.path, args)).toEqual(result);
    const log = await staveJson(data.path, ['log']);
    expect(await staveJson(data.path, args)).toEqual({ ...result, created: 0, unchanged: 3 });
    expect(await staveJson(data.path, ['log'])).toEqual(log);
  });

  it('exits with 2 after a rejection, and prints it', async () => {
    using data = temporaryFolder();
    const args = ['import', folder.at('one-bad.ndjson'), '--rejects', data.at('rejects.ndjson')];
    const ran = await staveProcess(data.path, [...args, '--json']);
    expect(ran.code).toBe(2);
    expect(ran.json).toEqual({ read: 3, created: 2, updated: 0, unchanged: 0, rejected: 1 });
    expect(ran.stderr).toMatch(/one-bad\.ndjson:3: type: /);
    expect(JSON.parse(readFileSync(data.at('rejects.ndjson'), 'utf8'))).toMatchObject({
      line: 3,
      field: 'type',
    });
  });

  it('imports nothing with --strict, and only reports with --dry-run', async () => {
    using data = temporaryFolder();
    const strict = await stave(data.path, ['import', folder.at('one-bad.ndjson'), '--strict']);
    expect(strict.code).toBe(2);
    const dry = await staveJson(data.path, ['import', folder.at('three.ndjson'), '--dry-run']);
    expect(dry).toMatchObject({ read: 3, created: 3 });
    expect(await staveJson(data.path, ['log'])).toEqual([]);
  });

  it('explains a file, suggests its mapping and imports it with that, all without a catalog before', async () => {
    using data = temporaryFolder();
    const nowhere = '/nonexistent/stave';
    const rows = ['Code;Song;Runtime;Colour', 'A1;Night;3:04;red', 'A2;Day;2:00;blue'];
    writeFileSync(data.at('acme.csv'), `${rows.join('\n')}\n`);
    const refused = await stave(nowhere, ['import', data.at('acme.csv'), '--explain']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(
      'no known mapping reads those (--suggest-map writes a first one)',
    );

    const suggested = await staveProcess(nowhere, ['import', data.at('acme.csv'), '--suggest-map']);
    expect(suggested.code).toBe(0);
    expect(suggested.stderr).toContain('fields.durationSeconds from Runtime: by its name');
    expect(suggested.stderr).toContain('nothing uses "Colour"');
    writeFileSync(data.at('acme.json'), suggested.stdout);

    const explain = ['import', data.at('acme.csv'), '--explain', '--map', data.at('acme.json')];
    const explained = await stave(nowhere, explain);
    expect(explained).toMatchObject({ code: 0, stderr: '' });
    expect(explained.stdout).toContain('mapping: acme, because --map names it');
    expect(explained.stdout).toContain('"Colour": in 2 records, such as "red"');
    const shown = await staveJson(nowhere, explain);
    expect(existsSync(nowhere)).toBe(false);

    const map = ['--map', data.at('acme.json')];
    expect(await staveJson(data.path, ['import', data.at('acme.csv'), ...map])).toMatchObject({
      created: 2,
      rejected: 0,
    });
    const { track } = shown.first[0];
    expect(await staveJson(data.path, ['tracks', 'show', 'night'])).toMatchObject({
      id: track.id,
      durationSeconds: track.durationSeconds,
    });
  });

  it('withdraws a large part of a catalog only with an option', async () => {
    using data = temporaryFolder();
    writeFileSync(data.at('ten.ndjson'), someTracks(10));
    await staveJson(data.path, ['import', data.at('ten.ndjson'), '--source', 'acme']);
    const prune = ['import', folder.at('three.ndjson'), '--prune'];
    const shared = await stave(data.path, prune);
    expect(shared).toMatchObject({ code: 1, stdout: '' });
    expect(shared.stderr).toMatch(/^stave: --prune needs --source: [^\n]*\n$/);

    const acme = [...prune, '--source', 'acme', '--json'];
    const refused = await staveProcess(data.path, acme);
    expect(refused.code).toBe(1);
    expect(refused.json).toMatchObject({ read: 3, unchanged: 3, withdrawn: 0 });
    expect(refused.stderr).toMatch(
      /^stave: nothing was withdrawn: --prune would withdraw 7 of the 10 [^\n]*--prune-limit 7\n$/m,
    );
    expect(await staveJson(data.path, ['tracks', 'show', 'track-9'])).toMatchObject({
      state: 'live',
    });

    const allowed = await stave(data.path, [...acme, '--prune-limit', '7']);
    expect(allowed.code).toBe(0);
    expect(allowed.json).toMatchObject({ read: 3, unchanged: 3, withdrawn: 7 });
    const { stdout } = await stave(data.path, ['tracks', 'show', 'track-9']);
    expect(stdout).toMatch(/^state +withdrawn \(/m);
    expect((await staveJson(data.path, ['log', '--limit', '1']))[0]).toMatchObject({
      what: 'track.withdrawn',
      batchId: expect.any(String),
    });

    expect(await staveJson(data.path, ['tracks', 'restore', 'track-9'])).toMatchObject({
      state: 'live',
      changed: true,
    });
    const again = ['import', data.at('ten.ndjson'), '--source', 'acme'];
    expect(await staveJson(data.path, again)).toMatchObject({ updated: 6, unchanged: 4 });
  });

  it('prints its batch, lists it, and undoes it', async () => {
    using data = temporaryFolder();
    writeFileSync(data.at('more.ndjson'), someTracks(5));
    await staveJson(data.path, ['import', folder.at('three.ndjson')]);
    const imported = await stave(data.path, ['import', data.at('more.ndjson')]);
    const [, batch] = /^the import is batch (\S+): `stave import undo \1` takes it back$/m.exec(
      imported.stderr,
    )!;
    const again = await stave(data.path, ['import', data.at('more.ndjson')]);
    expect(again.stderr).not.toContain('batch');

    const [newest, oldest] = await staveJson(data.path, ['import', 'list']);
    expect(newest).toMatchObject({ id: batch, created: 2, updated: 0, undoes: null });
    expect(newest.label).toBe(data.at('more.ndjson'));
    expect(oldest).toMatchObject({ created: 3 });
    const { stdout } = await stave(data.path, ['import', 'list', '--limit', '1']);
    expect(stdout).toMatch(/^BATCH +KIND +WHEN +BY +CREATED .*\n\S+ +import +20.*more\.ndjson\n$/);

    const undo = ['import', 'undo', batch!];
    const result = { withdrawn: 2, updated: 0, restored: 0, skipped: 0 };
    expect(await staveJson(data.path, [...undo, '--dry-run'])).toEqual(result);
    expect(await staveJson(data.path, ['tracks', 'show', 'track-5'])).toMatchObject({
      state: 'live',
    });
    expect(await staveJson(data.path, undo)).toEqual(result);
    expect(await staveJson(data.path, ['tracks', 'show', 'track-5'])).toMatchObject({
      state: 'withdrawn',
    });
    expect(await staveJson(data.path, undo)).toEqual({ ...result, withdrawn: 0 });
    const log = await staveJson(data.path, ['log', '--limit', '2']);
    const [undone, original, first] = await staveJson(data.path, ['import', 'list']);
    const undoBatch = undone.id;
    expect(undone).toMatchObject({ undoes: batch, undoneBy: null });
    expect(original).toMatchObject({ id: batch, undoes: null, undoneBy: undoBatch });
    expect(first).toMatchObject({ undoes: null, undoneBy: null });
    const listed = (await stave(data.path, ['import', 'list'])).stdout.split('\n');
    expect(listed[1]).toMatch(new RegExp(`^${undoBatch} +undo +20`));
    expect(listed[2]).toMatch(new RegExp(`^${batch} +import, undone +20`));
    expect(listed[3]).toMatch(/^\S+ +import +20/);
    expect(log).toMatchObject(Array(2).fill({ what: 'track.withdrawn', batchId: undoBatch }));

    const unknown = await stave(data.path, ['import', 'undo', 'nope']);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(
      /^stave: There is no import nope that changed something[^\n]*\n$/,
    );
  });

  it('leaves tracks that were changed since unchanged in an undo, names them, and exits with 2', async () => {
    using data = temporaryFolder();
    const write = (name: string, title: string) =>
      writeFileSync(
        data.at(name),
        `${JSON.stringify({ externalId: 't1', name: title, type: 'music' })}\n`,
      );
    write('one.ndjson', 'One');
    write('two.ndjson', 'Two');
    await staveJson(data.path, ['import', data.at('one.ndjson')]);
    await staveJson(data.path, ['import', data.at('two.ndjson')]);
    const [second, first] = await staveJson(data.path, ['import', 'list']);
    const skipped = await stave(data.path, ['import', 'undo', first.id]);
    expect(skipped.code).toBe(2);
    expect(skipped.stdout).toMatch(/^Undone: 0 withdrawn, .* 1 left as they are\.\n$/);
    expect(skipped.stderr).toBe('one is left as it is: another import changed it since\n');
    await staveJson(data.path, ['import', 'undo', second.id]);
    expect(await staveJson(data.path, ['tracks', 'show', 'one'])).toMatchObject({ name: 'One' });
  });

  it.each([[['/nonexistent/file.ndjson']], [['three.ndjson', '--map', '/nonexistent/map.json']]])(
    'exits with 1 and one line for %j',
    async (args) => {
      using data = temporaryFolder();
      const paths = args.map((one) => (one === 'three.ndjson' ? folder.at(one) : one));
      const ran = await stave(data.path, ['import', ...paths]);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/^stave: [^\n]*nonexistent[^\n]*\n$/);
    },
  );
});

describe('stave licenses import', () => {
  it('imports licenses repeatedly, and exits with 2 if some were rejected', async () => {
    using data = temporaryFolder();
    await staveJson(data.path, ['import', folder.at('three.ndjson')]);
    const license = (externalId: string, track: string) =>
      JSON.stringify({ externalId, track, mode: 'live', licensedAt: '2026-01-02T03:04:05Z' });
    const good = [license('l1', 'track-1'), license('l2', 'track-1')];
    writeFileSync(data.at('good.ndjson'), good.join('\n'));
    writeFileSync(data.at('bad.ndjson'), [...good, license('l3', 'nope')].join('\n'));
    const args = ['licenses', 'import', data.at('good.ndjson')];
    const result = { read: 2, created: 2, updated: 0, unchanged: 0, rejected: 0 };
    expect(await staveJson(data.path, args)).toEqual(result);
    expect(await staveJson(data.path, args)).toEqual({ ...result, created: 0, unchanged: 2 });
    const ran = await stave(data.path, ['licenses', 'import', data.at('bad.ndjson'), '--json']);
    expect(ran.code).toBe(2);
    expect(ran.json).toMatchObject({ read: 3, unchanged: 2, rejected: 1 });
  });
});

describe('stave demo remove', () => {
  it('can be repeated, and removes nothing without a demo', async () => {
    using data = temporaryFolder();
    const nothing = { tracks: 0, playlists: 0, clients: 0, mediaFiles: 0 };
    expect(await staveJson(data.path, ['demo', 'remove'])).toEqual(nothing);
    const again = await stave(data.path, ['demo', 'remove']);
    expect(again.code).toBe(0);
    expect(again.stdout).toContain('there was no demo to remove');
  });
});
