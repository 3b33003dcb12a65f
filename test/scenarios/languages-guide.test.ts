import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { environment, MAIN, serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';
import { bodiesOf, shellLinesOf } from './guide-lines.ts';

it('runs the lines of docs/languages.md', { timeout: 120_000 }, async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  await staveJson(data, ['playlists', 'create', '--name', 'Late Evening']);
  const client = await staveJson(data, [
    'clients',
    'create',
    '--name',
    'Partner',
    '--scopes',
    'tracks,localization',
  ]);
  await using serving = await serve(data);
  const env = { ...environment(data), NODE: process.execPath, MAIN };
  const run = async (lines: readonly string[]) => {
    const commands = [
      'npx() { shift; "$NODE" "$MAIN" "$@"; }',
      `STAVE=${serving.url} CLIENT_ID=${client.clientId} CLIENT_SECRET=${client.testSecret}`,
      ...lines,
    ];
    const options = { cwd: folder.path, env };
    const script = commands.join('\necho\n');
    return (await promisify(execFile)('sh', ['-e', '-c', script], options)).stdout;
  };
  const lines = shellLinesOf('docs/languages.md');
  const stdout = await run(lines.slice(0, -1));
  expect(stdout).toContain('1 name read, 1 filter changed');
  expect(stdout).toContain('translated late-evening (de)');
  expect(stdout).toMatch(/^de +1 +1 +0$/m);

  // The service takes the changes in shortly after the commands.
  await until(async () => {
    const [response] = bodiesOf(await run(lines.slice(-1)));
    const [track] = response.data.items;
    if (track?.filters[0].name !== 'Ruhig') return false;
    expect(track).toMatchObject({
      name: 'Nachtfähre',
      tags: ['Klavier'],
      originalName: 'Night Ferry',
      language: 'de',
    });
    return true;
  });
  expect(readFileSync(folder.at('headers.txt'), 'utf8')).toMatch(/^content-language: de\r$/im);
});
