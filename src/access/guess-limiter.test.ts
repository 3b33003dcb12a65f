import { describe, expect, it } from 'vitest';
import { TurnedClock } from '../../test/fixtures/turned-clock.ts';
import { FixedWindows } from './fixed-windows.ts';
import { GuessLimiter, networkOf } from './guess-limiter.ts';

const failures = (limiter: GuessLimiter, count: number, address: string, id: string) =>
  Array.from({ length: count }, () => limiter.fail(address, id));

describe('GuessLimiter', () => {
  it('allows ten failures a minute from one address with one client id', () => {
    const clock = new TurnedClock();
    const limiter = new GuessLimiter({ clock });
    expect(failures(limiter, 10, '192.0.2.1', 'id')).toEqual(Array(10).fill(undefined));
    clock.turn(0.5);
    expect(limiter.fail('192.0.2.1', 'id')).toBe(60);
    expect(limiter.fail('192.0.2.1', 'another id')).toBeUndefined();
    expect(limiter.fail('192.0.2.2', 'id')).toBeUndefined();
    clock.turn(59.5);
    expect(limiter.fail('192.0.2.1', 'id')).toBeUndefined();
  });

  it('allows three hundred failures a minute from one address, whatever the ids', () => {
    const limiter = new GuessLimiter({ clock: new TurnedClock() });
    for (let i = 0; i < 300; i++) {
      expect(limiter.fail('192.0.2.1', `id ${i}`)).toBeUndefined();
    }
    expect(limiter.fail('192.0.2.1', 'a new id')).toBe(60);
    expect(limiter.fail('192.0.2.2', 'a new id')).toBeUndefined();
  });

  it('names the later of two ends when both limits are met', () => {
    const clock = new TurnedClock();
    const limiter = new GuessLimiter({ clock });
    for (let i = 0; i < 290; i++) {
      limiter.fail('192.0.2.1', `id ${i}`);
    }
    clock.turn(20);
    failures(limiter, 10, '192.0.2.1', 'late');
    expect(limiter.fail('192.0.2.1', 'fresh')).toBe(40);
    expect(limiter.fail('192.0.2.1', 'late')).toBe(60);
  });

  it('stays within its bound under a flood of random ids and addresses', () => {
    const windows = () => new FixedWindows({ clock: new TurnedClock(), maxKeys: 500 });
    const [byClient, byAddress] = [windows(), windows()];
    const limiter = new GuessLimiter({
      clock: new TurnedClock(),
      windows: { byClient, byAddress },
    });
    for (let i = 0; i < 5000; i++) {
      limiter.fail(`10.${i >> 8}.${i & 255}.1`, `id ${i} ${'x'.repeat(i % 100)}`);
    }
    expect(byClient.size + byAddress.size).toBeLessThanOrEqual(1000);
  });
});

describe('networkOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['not an address', 'not an address'],
  ])('counts %s as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
