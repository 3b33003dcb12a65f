import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Json,
  stave,
  staveJson,
  staveProcess,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { ndjson, record } from '../harness/import-bench.ts';

const ISRC = 'DEA120000001';
let folder: TemporaryFolder;
let batchId: string;
beforeAll(async () => {
  folder = temporaryFolder();
  const mara = [{ name: 'Mara Lindt', role: 'MAIN_ARTIST', isPrimary: true }];
  const label = [
    record('1', { name: 'Night Drive', isrc: ISRC, artists: mara }),
    record('2', { name: 'Don’t Stop', isrc: ISRC, artists: mara }),
    record('3', { name: '\u001b[31mRed \u202eEvil' }),
  ];
  writeFileSync(folder.at('label.ndjson'), label.map((one) => ndjson(one)).join(''));
  await json('import', folder.at('label.ndjson'), '--source', 'label-a');
  [{ id: batchId }] = await json('import', 'list');
  const many = Array.from({ length: 101 }, (_, n) => record(`m${n}`, { name: `Many ${n}` }));
  writeFileSync(folder.at('many.ndjson'), many.map((one) => ndjson(one)).join(''));
  await staveJson(folder.path, ['import', folder.at('many.ndjson'), '--source', 'label-b']);
});
afterAll(() => folder[Symbol.dispose]());

const json = (...args: string[]) => staveJson(folder.path, args);
const run = (...args: string[]) => stave(folder.path, args);
const states = async (...slugs: string[]) =>
  Promise.all(slugs.map(async (slug) => (await json('tracks', 'show', slug)).state));

describe('stave tracks find', () => {
  const slugs = async (...args: string[]) => {
    const { tracks, isTruncated } = await json('tracks', 'find', ...args);
    expect(isTruncated).toBe(false);
    return tracks.map(({ slug }: Json) => slug);
  };

  it('finds words of names and artists, ids and ISRCs', async () => {
    expect(await slugs('MARA', 'dont')).toEqual(['dont-stop']);
    expect(await slugs('mara lindt')).toEqual(['night-drive', 'dont-stop']);
    expect(await slugs('de-a12-00-00001')).toEqual(['night-drive', 'dont-stop']);
    expect(await slugs('night-drive', '--state', 'live', '-s', 'label-a')).toEqual(['night-drive']);
    expect(await slugs('night', '--state', 'withdrawn')).toEqual([]);
    expect(await slugs('night', '--source', 'label-b')).toEqual([]);
    const { id } = await json('tracks', 'show', 'night-drive');
    expect(await slugs(id.toUpperCase())).toEqual(['night-drive']);
  });

  it('is bounded, fits a terminal and lets no control character through', async () => {
    const { stdout } = await run('tracks', 'find', 'many', '--limit', '2');
    expect(stdout).toMatch(/^STATE +ISRC +SOURCE +NAME +ARTISTS +SLUG\n/);
    expect(stdout).toContain('there are more');
    expect(await json('tracks', 'find', 'many', '--limit', '2')).toMatchObject({
      isTruncated: true,
      tracks: [{ slug: 'many-0' }, { slug: 'many-1' }],
    });
    const evil = (await run('tracks', 'find', 'evil')).stdout;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
    expect(evil).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect((await run('tracks', 'find', 'nothing')).stdout).toBe('no such track\n');
  });

  it.each([
    ['did you mean label-a?', 'x', '--source', 'label-c'],
    ['no letter or digit', '…!'],
    ['at most 20 words', 'a b c d e f g h i j k l m n o p q r s t u'],
    ['Allowed choices', 'x', '--state', 'gone'],
    ['whole number', 'x', '--limit', '0'],
  ])('refuses with "%s": %j', async (message, ...args) => {
    const ran = await run('tracks', 'find', ...args);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]*\n$/);
    expect(ran.stderr).toContain(message);
  });
});

describe('stave tracks report', () => {
  it('tells the history of a track, or of each track of an ISRC', async () => {
    await json('tracks', 'takedown', 'night-drive', '--reason', 'claim', '--reference', 'L-1');
    const report = await json('tracks', 'report', 'night-drive');
    expect(report).toMatchObject({
      ...{ slug: 'night-drive', isrc: ISRC, state: 'taken_down', told: [], usage: [] },
      ...{ playlists: [], clients: [], collections: [], licenses: [], isTruncated: false },
      history: [{ kind: 'taken_down', reason: 'claim', reference: 'L-1' }, { kind: 'created' }],
    });
    const again = await run('tracks', 'takedown', 'night-drive', '--reason', 'another claim');
    expect(again.stdout.split('\n').slice(0, 2)).toEqual([
      'night-drive was taken down already',
      'Nothing changed, so the log does not keep the reason and the reference.',
    ]);
    expect(again.stdout).toMatch(/\nlive +ISRC .* dont-stop\n$/);
    const { tracks } = await json('tracks', 'report', ISRC);
    expect(tracks.map(({ slug }: Json) => slug)).toEqual(['night-drive', 'dont-stop']);
    const [evil] = (await json('tracks', 'find', 'evil')).tracks;
    const { stdout } = await run('tracks', 'report', evil.slug);
    expect(stdout).toContain('WHO WAS TOLD\nno message to a webhook\n');
    expect(stdout).toContain('AS CLIENTS HAVE REPORTED\nno client has reported use\n');
    expect(stdout).toContain('FROM STAVE\nno client, as far as it was counted\n');
    expect(stdout).toContain('does not store who has read the feed of changes');
    expect(stdout).toContain(`"trackId":"${evil.id}"`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    const unknown = await run('tracks', 'report', 'night-driv');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('did you mean night-drive?');
    const turned = ['--from', '2026-02-02', '--to', '2026-02-01'];
    const { stderr: order } = await run('tracks', 'report', 'night-drive', ...turned);
    expect(order).toBe('stave: --from must not be after --to\n');
    const { stderr } = await run('tracks', 'report', 'night-drive', '--from', '2026-02-30');
    expect(stderr).toContain('There is no 2026-02-30.');
  });
});

describe('stave tracks takedown and restore', () => {
  beforeEach(async () => {
    await json('tracks', 'restore', 'night-drive', 'dont-stop');
  });

  it('take the tracks of an ISRC, and keep the reason in the log', async () => {
    const why = ['--reason', 'claim of the author', '--reference', '2026-118'];
    const down = ['tracks', 'takedown', '--isrc', 'de-a12-00-00001', ...why];
    expect(await json(...down, '--dry-run')).toMatchObject({ dryRun: true, changedCount: 2 });
    expect(await states('night-drive', 'dont-stop')).toEqual(['live', 'live']);
    expect(await json(...down)).toMatchObject({ changedCount: 2, unchangedCount: 0 });
    expect(await json(...down)).toMatchObject({ changedCount: 0, unchangedCount: 2 });
    const log = await json('log', '--reason', 'AUTHOR', '--entity', 'track', '--source', 'label-a');
    expect(log).toMatchObject([
      { what: 'track.taken_down', name: 'dont-stop', reference: '2026-118' },
      { what: 'track.taken_down', name: 'night-drive', reason: 'claim of the author' },
    ]);
    const { stdout } = await run('log', '--reason', '2026-118');
    expect(stdout).toContain('\n    claim of the author (2026-118)\n');
    expect((await run('log', '--reason', 'nobody')).stdout).toBe('no such change\n');
  });

  it.each([
    ['lines', `\uFEFFnight-drive\r\n\n${ISRC}\n`],
    ['CSV', 'Title;Slug;ISRC\nx;night-drive;\n"y; z";;DEA120000001\n'],
    ['a column alone', 'slug\nnight-drive\ndont-stop\n'],
    ['a column with an empty first line', '\nSlug\r\nnight-drive\r\ndont-stop\r\n'],
    ['titles above the heading', 'Claims;\nslug;why\nnight-drive;x\n;\ndont-stop;\n'],
    ['a named delimiter', 'sep=|\nwhy|slug\nx|night-drive\n|dont-stop\n'],
    ['rows that end with CR', 'slug\rnight-drive\rdont-stop\r'],
    ['two columns of one name', 'slug,slug\nnight-drive,x\ndont-stop,\n'],
  ])('read %s from standard input', async (_, stdin) => {
    const ran = await stave(folder.path, ['tracks', 'takedown', '--file', '-'], { stdin });
    expect(ran.stderr).toBe('');
    expect(await states('night-drive', 'dont-stop')).toEqual(['taken_down', 'taken_down']);
  });

  it('take the tracks of an import, as a process, too', async () => {
    const args = ['tracks', 'takedown', '--batch', batchId.toUpperCase(), '--json'];
    const ran = await staveProcess(folder.path, args);
    expect(ran).toMatchObject({ code: 0, json: { selectedCount: 3, changedCount: 3 } });
  });

  it('ask before many tracks change, and leave those that the source has withdrawn', async () => {
    const down = ['tracks', 'takedown', '--source', 'label-b'];
    const refused = await run(...down);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^stave: this takes 101 tracks down: give --yes [^\n]*\n$/);
    expect(await states('many-0')).toEqual(['live']);
    expect(await json(...down, '--yes')).toMatchObject({ changedCount: 101 });
    writeFileSync(folder.at('fewer.ndjson'), ndjson(record('m0', { name: 'Many 0' })));
    const prune = ['--source', 'label-b', '--prune', '--prune-limit', '200'];
    await json('tracks', 'restore', 'many-1');
    await json('import', folder.at('fewer.ndjson'), ...prune);
    const up = ['tracks', 'restore', '--source', 'label-b'];
    expect((await run(...up)).stdout).toMatch(/^100 tracks are live\n1 stay withdrawn/);
    expect(await states('many-0', 'many-1')).toEqual(['live', 'withdrawn']);
  });

  it.each([
    ['There is no track night-drivee (did you mean night-drive?).', ['night-drivee', 'dont-stop']],
    ['An element is empty', ['--isrc', 'DEA129999999,']],
    ['No track has the ISRC DEA129999999.', ['night-drive', '--isrc', 'DEA129999999']],
    ['did you mean label-a?', ['--source', 'label-x']],
    ['There is no import x', ['--batch', 'x']],
    ['alone', ['night-drive', '--source', 'label-a']],
    ['alone', ['--batch', 'x', '--source', 'label-a']],
    ['at most 500 characters', ['night-drive', '--reason', 'x'.repeat(501)]],
    ['at most 200 characters', ['night-drive', '--reference', 'x'.repeat(201)]],
    ['no such file', ['--file', '/nonexistent/list']],
    ['standard input names no track', ['--file', '-'], '\n\n'],
    ['There is no track nope (line 3).', ['--file', '-'], 'night-drive\n\nnope\n'],
    ['standard input is JSON; save it as CSV', ['--file', '-'], '[{"slug":"night-drive"}]'],
    ['standard input is a PDF', ['--file', '-'], '%PDF-1.7\nnight-drive\n'],
    ['standard input is a workbook; save it as CSV', ['--file', '-'], 'PK\u0003\u0004'],
    ['line 2: no slug, id or ISRC', ['--file', '-'], 'slug,title\n,x\n'],
    ['line 2: ', ['--file', '-'], 'slug,title\n"night-drive,x\n'],
  ])('refuse with "%s": %j', async (message, args, stdin = '') => {
    const ran = await stave(folder.path, ['tracks', 'takedown', ...args], { stdin });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]*\n$/);
    expect(ran.stderr).toContain(message);
    expect(await states('night-drive', 'dont-stop')).toEqual(['live', 'live']);
  });

  it('list every unknown name of a long file', async () => {
    const stdin = Array.from({ length: 30 }, (_, n) => `nope-${n}`).join('\n');
    const ran = await stave(folder.path, ['tracks', 'takedown', '--file', '-'], { stdin });
    expect(ran.stderr.match(/^not found: nope-\d+ \(line \d+\)$/gm)).toHaveLength(30);
    expect(ran.stderr).toMatch(/^stave: There is no track .* and 10 more\.$/m);
    const long = await stave(folder.path, ['tracks', 'takedown', '--file', '-'], {
      stdin: 'x\n'.repeat(100_001),
    });
    expect(long.stderr).toBe('stave: standard input names more than 100000 tracks: divide it\n');
  });
});
