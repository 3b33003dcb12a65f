import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openStoreOf,
  serve,
  someTracks,
  start,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/until.ts';

const TWO = ['--workers', '2'];

let folder: TemporaryFolder;
let data: string;
beforeEach(() => {
  folder = temporaryFolder();
  data = folder.at('data');
});
afterEach(() => folder[Symbol.dispose]());

/** Starts a service. Resolves with how it ended, or with `serves` when it does. The caller must kill it. */
function tried(args: readonly string[] = []) {
  const child = start(data, ['serve', '--json', ...args]);
  const ended = Promise.all([once(child, 'close'), text(child.stdout!), text(child.stderr!)]).then(
    ([[code], stdout, stderr]) => ({ code, stdout, stderr }),
  );
  const serves = once(child.stdout!, 'data').then(() => 'serves' as const);
  return { child, result: Promise.race([ended, serves]) };
}

/** Expects that a second service ends with one line that names the process. */
async function expectRefused(pid: number, args: readonly string[] = [], at = ''): Promise<void> {
  const { child, result } = tried(args);
  try {
    expect(await result).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^.+\n$/) });
    const { stderr } = (await result) as { stderr: string };
    expect(stderr).toContain(`stave: The data folder ${data} is in use by \`stave serve\` (`);
    expect(stderr).toContain(`(process ${pid} on ${hostname()}${at}, since 20`);
    expect(stderr).toMatch(/Z\): stop that process, or use another data folder\.\n$/);
  } finally {
    child.kill('SIGKILL');
  }
}

describe('a second stave serve on a data folder', () => {
  it.each([
    ['one thread', 'SIGKILL', [], TWO],
    ['workers', 'SIGKILL', TWO, []],
    ['workers', 'SIGTERM', TWO, TWO],
  ] as const)(
    'is refused beside %s, and takes over at once after %s',
    async (_, signal, args, others) => {
      const port = String(await freePort());
      await using first = await serve(data, { PORT: port }, args);
      await expectRefused(first.child.pid!, others, `, at 127.0.0.1:${port}`);
      expect((await first.get('/health-check')).status).toBe(200);
      await first.stop(signal);
      await using second = await serve(data, {}, others);
      expect((await second.get('/health-check')).status).toBe(200);
      await expectRefused(second.child.pid!);
    },
  );

  it('is refused also if many start at once: one serves, and the others name it', async () => {
    const services = [[], TWO, [], TWO, []].map((args) => tried(args));
    try {
      const results = await Promise.all(services.map(({ result }) => result));
      const serving = services.filter((_, i) => results[i] === 'serves');
      expect(serving).toHaveLength(1);
      const { pid } = serving[0]!.child;
      expect(results.filter((result) => result !== 'serves')).toEqual(
        Array(4).fill({
          code: 1,
          stdout: '',
          stderr: expect.stringMatching(
            new RegExp(`^stave: [^\\n]* is in use by [^\\n]*process ${pid} on [^\\n]*\\n$`),
          ),
        }),
      );
    } finally {
      for (const { child } of services) child.kill('SIGKILL');
    }
  });

  it('leaves what the console of the first one imports, and so do commands', async () => {
    await using first = await serve(data);
    const upload = folder.at('data', 'uploads', 'running');
    mkdirSync(upload, { recursive: true });
    await expectRefused(first.child.pid!, TWO);
    await staveJson(data, ['clients', 'list']);
    expect(existsSync(upload)).toBe(true);
  });
});

describe('commands', () => {
  it('work beside a service, and an import continues while one starts and another one is refused', async () => {
    writeFileSync(folder.at('tracks.ndjson'), someTracks(40_000));
    const importing = start(data, ['import', folder.at('tracks.ndjson'), '--json']);
    const imported = Promise.all([once(importing, 'close'), text(importing.stdout!)]);
    const store = await openStoreOf(data);
    await until(async () => (await store.catalog.counts()).live > 0, 'the import to store tracks');
    await using first = await serve(data);
    await expectRefused(first.child.pid!);
    await staveJson(data, ['clients', 'create', '-n', 'A', '-s', 'tracks']);
    const [[code], stdout] = await imported;
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ created: 40_000 })]);
    expect((await store.catalog.counts()).live).toBe(40_000);
    await store.close();
  });
});
