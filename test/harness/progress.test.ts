import { describe, expect, it } from 'vitest';
import { Progress } from './progress.ts';

/** Runs files in a project, of which the third one cannot be loaded. Returns the printed lines. */
function linesOf(files: number, project = 'fast'): string[] {
  const lines: string[] = [];
  const progress = new Progress('12ab', (line) => lines.push(line));
  progress.onTestRunStart(Array.from({ length: files }, () => ({ project: { name: project } })));
  const modules = Array.from({ length: files }, (_, i) => {
    const states = i === 2 ? [] : i === 1 ? ['passed', 'failed'] : ['passed', 'skipped'];
    for (const state of states) {
      progress.onTestCaseResult({ result: () => ({ state: state as 'passed' }) });
    }
    const failed = states.filter((state) => state === 'failed');
    return {
      relativeModuleId: `${i}.test.ts`,
      project: { name: project },
      diagnostic: () => ({ duration: i * 1_000 }),
      ok: () => i !== 1 && i !== 2,
      children: { allTests: () => failed[Symbol.iterator]() },
    };
  });
  for (const module of modules) progress.onTestModuleEnd(module as never);
  progress.onTestRunEnd(modules as never, [new Error('an error outside of tests')]);
  return lines;
}

describe('the progress of a run of all tests', () => {
  it('begins with the expected duration and reports each tenth up to the last file', () => {
    const [first, ...tenths] = linesOf(237).slice(0, 11);
    expect(first).toMatch(/^237 test files: 2 to 5 minutes/);
    expect(tenths).toHaveLength(10);
    expect(tenths[0]).toBe('24 of 237 test files after 0.0 minutes');
    expect(tenths[9]).toMatch(/^237 of 237 /);
    expect(linesOf(100, 'deep')[0]).toMatch(/^100 test files: 20 to 40 minutes/);
  });

  it('ends with the slowest files and the verdict', () => {
    const lines = linesOf(101).slice(11);
    expect(lines.slice(0, 3)).toEqual([
      'the slowest of 5050 s of test files:',
      '100 s fast 100.test.ts',
      '99 s fast 99.test.ts',
    ]);
    expect(lines).toHaveLength(27);
    expect(lines.at(-1)).toBe('100 passed, 3 failed, 99 skipped (STAVE_TEST_SEED=12ab)');
  });

  it('is the verdict alone if only a few files run', () => {
    expect(linesOf(12)).toEqual(['11 passed, 3 failed, 10 skipped (STAVE_TEST_SEED=12ab)']);
  });
});
