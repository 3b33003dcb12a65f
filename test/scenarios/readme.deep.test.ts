import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addCommand,
  environment,
  type Serving,
  serve,
  staveJson,
  temporaryFolder,
} from '../harness/cli.ts';
import { textOf } from './guide-lines.ts';

const readme = textOf('README.md');
const blocks = [...readme.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!);
const operatorLines = blocks.find((block) => block.startsWith('bin/stave'))!;
const partnerLines = blocks.find((block) => block.startsWith('curl'))!;

describe('the commands of the README, unchanged', () => {
  const folder = temporaryFolder();
  let serving: Serving;

  beforeAll(async () => {
    // The README's playlist contains two tracks of the demo, which takes long to make.
    const records = ['Neon Causeway', 'Glass Elevator', 'Night Drive'].map((name) =>
      JSON.stringify({ externalId: name, name, type: 'music', filters: ['mood:Calm'] }),
    );
    writeFileSync(folder.at('my-catalog.ndjson.gz'), gzipSync(records.join('\n')));
    addCommand(folder.path);
    serving = await serve(folder.at('data'));
  });
  afterAll(async () => {
    await serving?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  async function run(lines: string): Promise<string> {
    const options = { cwd: folder.path, env: environment(folder.at('data')) };
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', lines], options);
    return stdout;
  }

  test('npm start and npm test have their own blocks; CI runs them from a fresh clone', () => {
    expect(blocks[0]).toBe('npm start\n');
    expect(blocks.at(-1)).toBe('npm test\n');
  });

  test('the files of a release have the names that npm run release gives them', () => {
    const { version } = JSON.parse(textOf('package.json'));
    const script = textOf('scripts/release/release.ts');
    const named = [...readme.matchAll(/stave-(\d[\d.]*\d)(-[\w-]+)?(\.tar\.gz|\.tgz|\.tar)\b/g)];
    expect(named.length).toBeGreaterThanOrEqual(3);
    for (const [, of, kind = '', end] of named) {
      expect(of).toBe(version);
      expect(script).toContain(`${kind}${end}`);
    }
    expect(readme).toContain(` stave:${version}\n`);
  });

  test('the operator’s commands in a second terminal work', async () => {
    const output = await run(operatorLines);
    expect(output).toContain('3 created');
    expect(output).toMatch(/stave_live_\w+/);
    expect(output).toContain('summer');
    const [client] = await staveJson(folder.at('data'), ['clients', 'list']);
    expect(client.scopes).toContain('playlists');
    const playlists = ['playlists', 'list', '--client', client.name];
    expect(await staveJson(folder.at('data'), playlists)).toMatchObject([{ slug: 'summer' }]);
    expect(output).toContain('Usage: stave');
  });

  test('the partner’s commands work', async () => {
    const client = await staveJson(folder.at('data'), [
      ...['clients', 'create', '--name', 'Reader', '--scopes', 'tracks'],
    ]);
    const token = await serving.token(client.clientId, client.testSecret);
    const lines = partnerLines
      .replaceAll('http://127.0.0.1:8080', serving.url)
      .replace('"client_id":"…"', `"client_id":"${client.clientId}"`)
      .replace('"stave_test_…"', `"${client.testSecret}"`)
      .replace('Bearer …', `Bearer ${token}`);
    expect(lines).not.toContain('…');
    const output = await run(lines);
    expect(output).toContain('"access_token"');
    expect(output).toContain('"name":"Night Drive"');
  });
});
