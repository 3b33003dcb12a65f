import { describe, expect, it } from 'vitest';
import { TestClock } from '../../test/harness/clock.ts';
import { networkOf } from '../access/network.ts';
import { LoginAttempts } from './login-attempts.ts';

function attempts() {
  const clock = new TestClock();
  const made = new LoginAttempts({ clock });
  const fail = (address: string, count: number) => {
    for (let i = 0; i < count; i++) expect(made.begin(networkOf(address))).toBeUndefined();
  };
  return { clock, made, fail };
}

describe('attempts to log in', () => {
  it('wait twice as long after each further failure of an address, up to a quarter of an hour', () => {
    const { clock, made, fail } = attempts();
    fail('10.0.0.1', 5);
    const waits: number[] = [];
    for (let i = 0; i < 7; i++) {
      const wait = made.begin('10.0.0.1')!;
      waits.push(wait);
      clock.advance(wait - 0.001);
      expect(made.begin('10.0.0.1')).toBe(1);
      clock.advance(0.001);
      fail('10.0.0.1', 1);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900]);
  });

  it('of other addresses go on, but those of one network count together', () => {
    const { made, fail } = attempts();
    fail('2001:db8::1', 3);
    fail('2001:db8::2', 2);
    expect(made.begin(networkOf('2001:db8::3'))).toBe(30);
    fail('10.0.0.2', 1);
  });

  it('of many addresses wait together, for a short time', () => {
    const { clock, made } = attempts();
    for (let i = 0; i < 30; i++) expect(made.begin(`10.0.0.${i}`)).toBeUndefined();
    expect(made.begin('10.0.1.1')).toBe(1);
    clock.advance(1);
    expect(made.begin('10.0.1.1')).toBeUndefined();
    expect(made.begin('10.0.1.2')).toBe(2);
  });

  it('are forgotten after a success, and after an hour', () => {
    const { clock, made, fail } = attempts();
    fail('10.0.0.1', 4);
    made.succeed('10.0.0.1');
    fail('10.0.0.1', 5);
    expect(made.begin('10.0.0.1')).toBe(30);
    clock.advance(60 * 60);
    fail('10.0.0.1', 5);
  });
});
