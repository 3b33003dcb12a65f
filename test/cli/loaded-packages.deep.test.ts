import { expect, it } from 'vitest';
import { staveProcess, temporaryFolder } from '../harness/cli.ts';

/** Prints the packages of all modules that a process has loaded, when it ends. */
const PRINT_PACKAGES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name !== undefined) packages.add(name);
      return next(url, context);
    },
  });
  process.on('exit', () => process.stderr.write(JSON.stringify([...packages].sort())));
`)}`;

// Loading modules is most of the time of a short command. typebox alone has 700.
it.each([
  [['clients', 'list', '--json']],
  [['playlists', 'create', '--name', 'Focus', '--json']],
  [['log', '--json']],
  [['tracks', 'find', 'night', '--json']],
])('stave %j loads neither schemas nor readers of files', async (args) => {
  using folder = temporaryFolder();
  const env = { NODE_OPTIONS: `--import=${PRINT_PACKAGES}` };
  const { code, stderr } = await staveProcess(folder.at('data'), args, { env });
  expect(code).toBe(0);
  const packages: string[] = JSON.parse(stderr.slice(stderr.lastIndexOf('[')));
  expect(packages).toContain('kysely');
  for (const heavy of ['typebox', 'fastify', 'pg', 'pdfkit', 'yauzl', 'music-metadata']) {
    expect(packages).not.toContain(heavy);
  }
});
