import { describe, expect, it } from 'vitest';
import { TurnedClock } from '../../test/fixtures/turned-clock.ts';
import { FixedWindows } from './fixed-windows.ts';

describe('FixedWindows', () => {
  it('forgets the keys whose windows are over', () => {
    const clock = new TurnedClock();
    const windows = new FixedWindows({ clock });
    for (let i = 0; i < 1000; i++) {
      windows.add(`early ${i}`);
    }
    clock.turn(30);
    windows.add('later');
    clock.turn(30);
    windows.add('now');
    expect(windows.size).toBe(2);
    expect(windows.count('later')).toBe(1);
  });

  it('forgets the oldest windows beyond its bound, and counts the others on', () => {
    const windows = new FixedWindows({ clock: new TurnedClock(), maxKeys: 3 });
    for (const key of ['a', 'b', 'c', 'd', 'd']) {
      windows.add(key);
    }
    expect(windows.size).toBe(3);
    expect(['a', 'b', 'c', 'd'].map((key) => windows.count(key))).toEqual([0, 1, 1, 2]);
  });

  it('takes counts back, as many as there are', () => {
    const clock = new TurnedClock();
    const windows = new FixedWindows({ clock });
    for (let i = 0; i < 5; i++) {
      windows.add('key');
    }
    clock.turn(30);
    windows.release('key', 2);
    windows.release('other', 1);
    expect(windows.take('key', 4)).toMatchObject({ remaining: 0, resetSeconds: 30 });
    windows.release('key', 9);
    expect(windows.count('key')).toBe(0);
    expect(windows.size).toBe(1);
  });

  it('neither forgets nor blocks for long when the clock is set back', () => {
    const clock = new TurnedClock();
    const windows = new FixedWindows({ clock });
    windows.add('key');
    clock.turn(-3600);
    expect(windows.count('key')).toBe(1);
    expect(windows.resetSeconds('key')).toBe(60);
    clock.turn(60);
    expect(windows.count('key')).toBe(0);
  });
});
