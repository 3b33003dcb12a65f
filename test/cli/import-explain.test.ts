import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { stave, temporaryFolder } from '../harness/cli.ts';
import { mp3 } from '../harness/clips.ts';

const nowhere = '/nonexistent/stave';

describe('stave import --explain and --suggest-map', () => {
  it.each([
    ...[
      ['--strict'],
      ['--dry-run'],
      ['--prune'],
      ['--prune-limit', '1'],
      ['--rejects', 'y'],
    ].flatMap((writing) =>
      ['--explain', '--suggest-map'].map((option): [string[], string] => [
        ['import', 'x', option, ...writing],
        `option '${option}' cannot be used with option '${writing[0]}`,
      ]),
    ),
    [['import', 'x', '--explain', '--suggest-map'], "cannot be used with option '--suggest-map'"],
    [
      ['import', 'x', '--suggest-map', '--map', 'y'],
      "cannot be used with option '-m, --map <file>'",
    ],
    [['import', 'x', '--suggest-map', '--source', 'y'], "cannot be used with option '-s, --source"],
    [['import', 'x', 'y', '--explain'], '--explain reads one file at a time: name one'],
    [['import', 'x', 'y', '--suggest-map'], '--suggest-map reads one file at a time: name one'],
    [['import', '/nonexistent/x', '--explain'], 'no such file or folder: /nonexistent/x'],
    [['import', '/nonexistent/x', '--suggest-map'], 'no such file or folder: /nonexistent/x'],
  ])('refuse %j with one line and exit code 1', async (args, hint) => {
    const ran = await stave(nowhere, args);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
    expect(ran.stderr).toContain(hint);
  });

  it('read tags as --tag-encoding says', async () => {
    using folder = temporaryFolder();
    const title = Buffer.from('ebc1d4c0dbc1', 'hex');
    const tag = Buffer.from('ID3\x03\0\0\0\0\0\x11TIT2\0\0\0\x07\0\0\0', 'latin1');
    const path = folder.at('a.mp3');
    await writeFile(path, Buffer.concat([tag, title, await mp3(1)]));
    const ran = await stave(nowhere, ['import', path, '--explain', '--tag-encoding', 'koi8-r']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('name: Катюша');
  });
});
