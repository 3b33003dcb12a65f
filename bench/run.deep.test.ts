import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('run.ts', import.meta.url));

const bench = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

it('prints its usage', () => {
  for (const option of ['--help', '-h']) {
    expect(bench(option)).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^Usage: npm run bench -- /),
      stderr: '',
    });
  }
});

it('refuses unknown options and parts in a sentence, without measuring', () => {
  for (const [args, reason] of [
    [['--nope'], "Unknown option '--nope'"],
    [['--only', 'nope'], 'There is no part nope.'],
    [['--only', 'page', '--parts', 'nope'], 'There is no part nope.'],
  ] as const) {
    const { status, stdout, stderr } = bench(...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe(`${reason}\nSee \`npm run bench -- --help\`.\n`);
  }
});
