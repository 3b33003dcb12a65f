import { describe, expect, it } from 'vitest';
import { Progress } from './progress.ts';

function linesOf(files: number): string[] {
  const lines: string[] = [];
  const progress = new Progress((line) => lines.push(line));
  progress.onTestRunStart(Array.from({ length: files }));
  for (let i = 0; i < files; i++) {
    progress.onTestModuleEnd({
      relativeModuleId: `${i}.test.ts`,
      project: { name: 'embedded' },
      diagnostic: () => ({ duration: i * 1_000 }),
    });
  }
  progress.onTestRunEnd();
  return lines;
}

describe('the progress of a run of all tests', () => {
  it('begins with the expected duration and reports each tenth up to the last file', () => {
    const [first, ...tenths] = linesOf(237).slice(0, 11);
    expect(first).toMatch(/^237 test files: 20 to 40 minutes/);
    expect(tenths).toHaveLength(10);
    expect(tenths[0]).toBe('24 of 237 test files after 0.0 minutes\n');
    expect(tenths[9]).toMatch(/^237 of 237 /);
  });

  it('ends with the slowest files', () => {
    const lines = linesOf(101).slice(11);
    expect(lines.slice(0, 3)).toEqual([
      'the slowest of 5050 s of test files:\n',
      '100 s embedded 100.test.ts\n',
      '99 s embedded 99.test.ts\n',
    ]);
    expect(lines).toHaveLength(26);
  });

  it('is silent if only a few files run', () => {
    expect(linesOf(12)).toEqual([]);
  });
});
