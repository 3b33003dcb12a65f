import { describe, expect, it } from 'vitest';
import { nextAttemptAt } from './schedule.ts';

/** The waits of a schedule in seconds, until it ends. */
function waits(mode: 'test' | 'live', random: number, retryAfterMs: number | null = null) {
  const found: number[] = [];
  for (let attempt = 1; ; attempt++) {
    const next = nextAttemptAt(mode, attempt, { now: 1_000, retryAfterMs, random });
    if (next === null) return found;
    found.push((next - 1_000) / 1_000);
  }
}

describe('the schedule of attempts', () => {
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * 3_600);
  const live = [5, 300, 1_800, ...hours];

  it('has ten attempts in live mode, with up to 20 % more time between them', () => {
    expect(waits('live', 0)).toEqual(live);
    expect(waits('live', 1)).toEqual(live.map((seconds) => seconds * 1.2));
  });

  it('has five attempts in test mode, at exact times', () => {
    expect(waits('test', 1)).toEqual([1, 2, 4, 8]);
  });

  it('waits longer if the receiver asks for it, but a day at most', () => {
    expect(waits('test', 0, 3_000)).toEqual([3, 3, 4, 8]);
    expect(waits('test', 0, 10 * 86_400_000)).toEqual([86_400, 86_400, 86_400, 86_400]);
  });
});
