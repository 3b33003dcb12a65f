import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './cli.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What the tests of the projects below begin with. `isFirst` is whether the file has not run before. */
const BEGINNING = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
const ran = import.meta.filename + process.env.PROJECT;
const isFirst = !existsSync(ran);
const drawn = JSON.stringify([process.env.STAVE_TEST_SEED, fc.sample(fc.integer(), 3)]);
if (isFirst) writeFileSync(ran, drawn);
const passing = () => {};
const failing = () => { throw new Error('no such track\\nin the catalog'); };
`;
const PASSES = `it('passes', passing);`;
const FAILS_ONCE = `
it('passes', passing);
describe('a suite', () => it('fails once', isFirst ? failing : passing));
it('draws the same values again', () => expect(drawn).toBe(readFileSync(ran, 'utf8')));
`;

/** The global setup of vitest. */
const SETUP = 'setup.ts';

interface Ended {
  code: number | null;
  output: string;
  /** The output from the list of unstable and failed files on. */
  lists: string[];
}

/**
 * Runs `.ci/test` in a project that has the vitest configuration of Stave, but only these files: tests of both
 * projects, and the global setup.
 */
async function ciTest(files: Record<string, string>): Promise<Ended> {
  using folder = temporaryFolder();
  mkdirSync(folder.at('node_modules'));
  for (const name of ['.bin', 'fast-check', 'vitest']) {
    symlinkSync(join(ROOT, 'node_modules', name), folder.at('node_modules', name));
  }
  const script = `exec ${ROOT}scripts/with-node vitest run`;
  writeFileSync(
    folder.at('package.json'),
    JSON.stringify({ type: 'module', scripts: { test: script } }),
  );
  writeFileSync(
    folder.at('vitest.config.ts'),
    `import config from '${ROOT}vitest.config.ts';
    const test = { ...config.test, globalSetup: ${JSON.stringify(SETUP in files ? [SETUP] : [])} };
    const projects = ['deep', 'postgres'].map((name) => ({
      extends: true,
      test: { name, include: ['both.test.ts', name + '/*.test.ts'], env: { PROJECT: name } },
    }));
    export default { test: { ...test, projects } };`,
  );
  for (const name of ['deep', 'postgres']) mkdirSync(folder.at(name));
  for (const [path, text] of Object.entries(files)) {
    writeFileSync(folder.at(path), path.endsWith('.test.ts') ? BEGINNING + text : text);
  }
  return await run(folder.path);
}

function run(cwd: string): Promise<Ended> {
  const { STAVE_TEST_REPORT: _, ...env } = process.env;
  const child = spawn(join(ROOT, '.ci/test'), ['test'], {
    cwd,
    env: { ...env, STAVE_TEST_SEED: '12ab', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const lists = output.slice(output.search(/^(?:the tests fail|UNSTABLE|FAILED|Test files;)/m));
      resolve({ code, output, lists: lists.trimEnd().split('\n') });
    });
  });
}

/** As the script prints it. */
const SEED = 'STAVE_TEST_SEED=12ab';
const COUNTS = 'Test files; a file that runs on both stores counts twice:';

describe('.ci/test', () => {
  it('passes and ends with the number of files', async () => {
    const { code, output, lists } = await ciTest({
      'both.test.ts': PASSES,
      'deep/skipped.test.ts': `it.skip('is skipped', failing);`,
    });
    expect(lists).toEqual([COUNTS, '2 passed, 0 failed, 1 skipped']);
    expect(code).toBe(0);
    expect(output).toContain(`${SEED}\n`);
    expect(output).not.toContain('again, alone');
  });

  it('passes if each file that failed passes alone, in its project and with the same seed', async () => {
    const { code, output, lists } = await ciTest({
      'both.test.ts': `it('fails', process.env.PROJECT === 'postgres' && isFirst ? failing : passing);`,
      'deep/collected.test.ts': `if (isFirst) failing(); ${PASSES}`,
      'deep/once.test.ts': FAILS_ONCE,
    });
    expect(lists[0]).toBe('UNSTABLE:');
    expect(lists.slice(1, 4).toSorted()).toEqual([
      `deep deep/collected.test.ts: "the file": no such track; ${SEED}`,
      `deep deep/once.test.ts: "a suite > fails once": no such track; ${SEED}`,
      `postgres both.test.ts: "fails": no such track; ${SEED}`,
    ]);
    expect(lists.slice(4)).toEqual([COUNTS, '4 passed, 0 failed, 0 skipped']);
    expect(code).toBe(0);
    expect(output.match(/^== again, alone: /gm)).toHaveLength(3);
    expect(output.match(/Test Files +1 passed \(1\)$/gm)).toHaveLength(3);
  });

  it('fails if a file fails again, fails then in another way, or skips then what failed', async () => {
    const { code, lists } = await ciTest({
      'deep/killed.test.ts': `
        it('fails once', isFirst ? failing : () => process.kill(process.ppid, 'SIGKILL'));`,
      'deep/later.test.ts': `
        ${PASSES}
        it('fails once', isFirst ? failing : passing);
        if (!isFirst) Promise.reject(new Error('later'));`,
      'deep/skips.test.ts': `${PASSES} it.skipIf(!isFirst)('fails once', failing);`,
      'deep/twice.test.ts': `
        it('fails', failing);
        describe('a suite', () => { beforeAll(failing); it('waits', passing); });`,
    });
    expect(lists[0]).toBe('FAILED:');
    expect(lists.slice(1, 5).toSorted()).toEqual([
      `deep deep/killed.test.ts: "fails once": no such track; ${SEED}`,
      `deep deep/later.test.ts: "fails once": no such track; ${SEED}`,
      `deep deep/skips.test.ts: "fails once": no such track; ${SEED}`,
      `deep deep/twice.test.ts: "fails", "a suite": no such track; ${SEED}`,
    ]);
    expect(lists.slice(5)).toEqual([COUNTS, '0 passed, 4 failed, 0 skipped']);
    expect(code).toBe(1);
  });
});

const ELEVEN = Array.from({ length: 11 }, (_, i) => [`deep/${i}.test.ts`, `it('fails', failing);`]);

/** What fails, and the cause that the output names. */
const CAUSES: [what: string, cause: RegExp, files: Record<string, string>][] = [
  [
    'an unhandled rejection and a killed worker',
    /^errors outside of tests: (?=.*a rejection)(?=.*Worker forks emitted error)/,
    {
      'deep/once.test.ts': FAILS_ONCE,
      'deep/it.test.ts': `${PASSES} Promise.reject(new Error('a rejection'));`,
      'postgres/it.test.ts': `it('ends', () => process.kill(process.pid, 'SIGKILL'));`,
    },
  ],
  [
    'a vitest that is killed',
    /^it ended with 137 and without a report$/,
    {
      'deep/once.test.ts': FAILS_ONCE,
      'deep/it.test.ts': `it('ends', () => process.kill(process.ppid, 'SIGKILL'));`,
    },
  ],
  [
    'a vitest that is killed after the tests',
    /^it ended with 137$/,
    {
      'deep/once.test.ts': FAILS_ONCE,
      [SETUP]: `export const teardown = () => process.kill(process.pid, 'SIGKILL');`,
    },
  ],
  [
    'a global setup that fails',
    /^it ended with 1, although no file failed$/,
    {
      'deep/once.test.ts': FAILS_ONCE,
      [SETUP]: `export const setup = () => { throw new Error('no service'); };`,
    },
  ],
  ['a run without tests', /^it ended with 1, although no file failed$/, {}],
  [
    'more than ten files that fail',
    /^11 files failed; none runs again$/,
    Object.fromEntries(ELEVEN),
  ],
];

describe('.ci/test fails at once', () => {
  it.each(CAUSES)('after %s', async (_, cause, files) => {
    const { code, output, lists } = await ciTest(files);
    expect(lists[0]!.replace('the tests fail: ', '')).toMatch(cause);
    expect(output).not.toMatch(/again, alone|UNSTABLE/);
    expect(code).toBe(1);
  });
});
