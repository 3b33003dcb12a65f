import { expect, it } from 'vitest';
import { start, staveProcess, temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';

/** Prints the paths of all modules that a thread has loaded, as a line of JSON, when it ends. */
const PRINT_MODULES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  const modules = new Set();
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) modules.add(url);
      return next(url, context);
    },
  });
  process.on('exit', () => writeSync(2, JSON.stringify([...modules]) + '\\n'));
`)}`;

const env = { NODE_OPTIONS: `--import=${PRINT_MODULES}` };

/** The modules of each thread, in the order in which the threads ended. */
function modulesOf(stderr: string): string[][] {
  const lines = stderr.split('\n').filter((line) => line.startsWith('["file:'));
  return lines.map((line) => JSON.parse(line));
}

// Loading modules is most of the time of a short command: half a millisecond each.
it.each([
  [['clients', 'list', '--json']],
  [['playlists', 'create', '--name', 'Focus', '--json']],
  [['quotes', 'list', '--json']],
  [['log', '--json']],
  [['tracks', 'find', 'night', '--json']],
])('stave %j loads few modules, in one thread', async (args) => {
  using folder = temporaryFolder();
  const { code, stderr } = await staveProcess(folder.at('data'), args, { env });
  expect(code).toBe(0);
  const threads = modulesOf(stderr);
  expect(threads).toHaveLength(1);
  const modules = threads[0]!;
  expect(modules.length).toBeLessThan(280);
  // Of its bundle, kysely is one module.
  expect(modules.filter((path) => /node_modules.*\/kysely[/.]/.test(path))).toHaveLength(1);
  const heavy = /\/(typebox|fastify|pino|pg|pdfkit|yauzl|music-metadata)[/.]/;
  expect(modules.filter((path) => heavy.test(path))).toEqual([]);
});

it('stave serve loads no module that only some services or requests need', async () => {
  using folder = temporaryFolder();
  const child = start(folder.at('data'), ['serve', '--json'], { env });
  let [stdout, stderr] = ['', ''];
  child.stdout!.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  await until(() => stdout.includes('\n'), 'the service to serve');
  child.kill('SIGTERM');
  await until(() => child.exitCode !== null, 'the service to end');
  const modules = modulesOf(stderr).at(-1)!;
  expect(modules.length).toBeLessThan(940);
  const heavy =
    /\/node_modules\/(@aws-sdk|@modelcontextprotocol|ioredis|@scalar|pg|pdfkit|typebox|zod)\//;
  expect(modules.filter((path) => heavy.test(path))).toEqual([]);
});
