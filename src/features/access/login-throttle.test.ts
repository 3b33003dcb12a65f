import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../test/harness/clock.ts';
import { createRateLimitMemory } from '../../engines/limits/memory-rate-limiter.ts';
import { LoginThrottle } from './login-throttle.ts';

const failures = (throttle: LoginThrottle, count: number, address: string, id: string) =>
  Array.from({ length: count }, () => throttle.fail(address, id));

describe('LoginThrottle', () => {
  it('allows ten failures per minute from one address with one client id', () => {
    const clock = new TestClock();
    const throttle = new LoginThrottle({ clock });
    expect(failures(throttle, 10, '192.0.2.1', 'id')).toEqual(Array(10).fill(undefined));
    clock.advance(0.5);
    expect(throttle.fail('192.0.2.1', 'id')).toBe(60);
    expect(throttle.fail('192.0.2.1', 'another id')).toBeUndefined();
    expect(throttle.fail('192.0.2.2', 'id')).toBeUndefined();
    clock.advance(59.5);
    expect(throttle.fail('192.0.2.1', 'id')).toBeUndefined();
  });

  it('allows three hundred failures per minute from one address with any client ids', () => {
    const throttle = new LoginThrottle({ clock: new TestClock() });
    for (let i = 0; i < 300; i++) {
      expect(throttle.fail('192.0.2.1', `id ${i}`)).toBeUndefined();
    }
    expect(throttle.fail('192.0.2.1', 'a new id')).toBe(60);
    expect(throttle.fail('192.0.2.2', 'a new id')).toBeUndefined();
  });

  it('returns the later end if both limits are reached', () => {
    const clock = new TestClock();
    const throttle = new LoginThrottle({ clock });
    for (let i = 0; i < 290; i++) {
      throttle.fail('192.0.2.1', `id ${i}`);
    }
    clock.advance(20);
    failures(throttle, 10, '192.0.2.1', 'late');
    expect(throttle.fail('192.0.2.1', 'fresh')).toBe(40);
    expect(throttle.fail('192.0.2.1', 'late')).toBe(60);
  });

  it('counts look-ups of licenses by address, apart from other failures', () => {
    const throttle = new LoginThrottle({ clock: new TestClock() });
    const waits = Array.from({ length: 31 }, () => throttle.failLookup('192.0.2.1'));
    expect(waits).toEqual([...Array(30).fill(undefined), 60]);
    expect(throttle.failLookup('192.0.2.2')).toBeUndefined();
    expect(throttle.fail('192.0.2.1', 'id')).toBeUndefined();
  });

  it('counts the failures of all threads together', () => {
    const clock = new TestClock();
    const memory = {
      byClient: createRateLimitMemory(clock),
      byAddress: createRateLimitMemory(clock),
    };
    const throttles = [0, 1].map(() => new LoginThrottle({ clock, memory }));
    const waits = Array.from({ length: 12 }, (_, i) => throttles[i % 2]!.fail('192.0.2.1', 'id'));
    expect(waits).toEqual([...Array(10).fill(undefined), 60, 60]);
  });

  it('counts correctly during many failures with random ids and addresses', () => {
    const throttle = new LoginThrottle({ clock: new TestClock() });
    for (let i = 0; i < 5000; i++) {
      throttle.fail(`10.${i >> 8}.${i & 255}.1`, `id ${i} ${'x'.repeat(i % 100)}`);
    }
    expect(failures(throttle, 11, '192.0.2.1', 'id')).toEqual([...Array(10).fill(undefined), 60]);
  });
});
