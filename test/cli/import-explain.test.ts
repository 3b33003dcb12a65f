import { describe, expect, it } from 'vitest';
import { stave } from '../harness/cli.ts';

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
});
