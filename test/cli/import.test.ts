import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  someTracks,
  stave,
  staveJson,
  staveProcess,
  type TemporaryFolder,
  temporaryFolder,
} from './harness.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = temporaryFolder();
  writeFileSync(folder.at('three.ndjson'), someTracks(3));
  const bad = JSON.stringify({ externalId: 'x', name: 'X', type: 'noise' });
  writeFileSync(folder.at('one-bad.ndjson'), `${someTracks(2)}${bad}\n`);
});
afterAll(() => folder[Symbol.dispose]());

describe('stave import', () => {
  it('tells what it did as JSON, and nothing the second time', async () => {
    using data = temporaryFolder();
    const told = { read: 3, created: 3, updated: 0, unchanged: 0, rejected: 0 };
    const args = ['import', folder.at('three.ndjson')];
    expect(await staveJson(data.path, args)).toEqual(told);
    const log = await staveJson(data.path, ['log']);
    expect(await staveJson(data.path, args)).toEqual({ ...told, created: 0, unchanged: 3 });
    expect(await staveJson(data.path, ['log'])).toEqual(log);
  });

  it('ends with 2 when something was rejected, naming it', async () => {
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

  it('takes nothing with --strict, and only reports with --dry-run', async () => {
    using data = temporaryFolder();
    const strict = await stave(data.path, ['import', folder.at('one-bad.ndjson'), '--strict']);
    expect(strict.code).toBe(2);
    const dry = await staveJson(data.path, ['import', folder.at('three.ndjson'), '--dry-run']);
    expect(dry).toMatchObject({ read: 3, created: 3 });
    expect(await staveJson(data.path, ['log'])).toEqual([]);
  });

  it.each([[['/nonexistent/file.ndjson']], [['three.ndjson', '--map', '/nonexistent/map.json']]])(
    'ends with 1 and one line for %j',
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
  it('reads licences, repeatably, and ends with 2 when some were rejected', async () => {
    using data = temporaryFolder();
    await staveJson(data.path, ['import', folder.at('three.ndjson')]);
    const licence = (externalId: string, track: string) =>
      JSON.stringify({ externalId, track, mode: 'live', licensedAt: '2026-01-02T03:04:05Z' });
    const good = [licence('l1', 'track-1'), licence('l2', 'track-1')];
    writeFileSync(data.at('good.ndjson'), good.join('\n'));
    writeFileSync(data.at('bad.ndjson'), [...good, licence('l3', 'nope')].join('\n'));
    const args = ['licenses', 'import', data.at('good.ndjson')];
    const told = { read: 2, created: 2, updated: 0, unchanged: 0, rejected: 0 };
    expect(await staveJson(data.path, args)).toEqual(told);
    expect(await staveJson(data.path, args)).toEqual({ ...told, created: 0, unchanged: 2 });
    const ran = await stave(data.path, ['licenses', 'import', data.at('bad.ndjson'), '--json']);
    expect(ran.code).toBe(2);
    expect(ran.json).toMatchObject({ read: 3, unchanged: 2, rejected: 1 });
  });
});

describe('stave demo remove', () => {
  it('may be repeated, and finds nothing where there is no demo', async () => {
    using data = temporaryFolder();
    const nothing = { tracks: 0, playlists: 0, clients: 0, mediaFiles: 0 };
    expect(await staveJson(data.path, ['demo', 'remove'])).toEqual(nothing);
    const again = await stave(data.path, ['demo', 'remove']);
    expect(again.code).toBe(0);
    expect(again.stdout).toContain('nothing of the demo');
  });
});
