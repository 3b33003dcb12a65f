import { expect, it } from 'vitest';
import { TestClock } from '../../../test/harness/clock.ts';
import { networkOf } from '../../engines/http/connection/trusted-proxies.ts';
import {
  createRateLimitMemory,
  MemoryRateLimiter,
} from '../../engines/limits/memory-rate-limiter.ts';
import { PasswordThrottle } from './password-throttle.ts';

function throttled() {
  const clock = new TestClock();
  // Each check is in another worker.
  const memory = createRateLimitMemory(clock);
  const throttles = [0, 1, 2].map(
    () => new PasswordThrottle(new MemoryRateLimiter({ clock, memory })),
  );
  let checks = 0;
  let next = 0;
  const tryOne = (address: string, of: string, check: () => Promise<boolean>) =>
    throttles[next++ % 3]!.try({ network: networkOf(address), of }, check);
  const give = async (isRight: boolean, address = '10.0.0.1', name = 'anna') => {
    const result = await tryOne(address, name, async () => {
      checks++;
      return isRight;
    });
    return 'waitSeconds' in result ? result.waitSeconds : result.isRight;
  };
  const fail = async (count: number, address?: string, name?: string) => {
    for (let i = 0; i < count; i++) expect(await give(false, address, name)).toBe(false);
  };
  return { clock, tryOne, give, fail, checks: () => checks };
}

it('ten failures a minute of an address with a name: then no password is checked, also not the right one', async () => {
  const { clock, give, fail, checks } = throttled();
  await fail(10);
  expect(await give(true)).toBe(60);
  expect(checks()).toBe(10);
  expect(await give(true, '10.0.0.2')).toBe(true);
  expect(await give(true, '10.0.0.1', 'ben')).toBe(true);
  clock.advance(59);
  expect(await give(true)).toBe(1);
  clock.advance(1);
  expect(await give(true)).toBe(true);
});

it('a hundred failures an hour with a name, from all addresses', async () => {
  const { clock, give, fail } = throttled();
  for (let i = 0; i < 10; i++) await fail(10, `10.0.1.${i}`);
  expect(await give(true, '10.0.2.1')).toBe(3_600);
  expect(await give(true, '10.0.2.1', 'ben')).toBe(true);
  clock.advance(3_600);
  expect(await give(true, '10.0.2.1')).toBe(true);
});

it('the addresses of one network count together, and successes do not count', async () => {
  const { give, fail } = throttled();
  for (let i = 0; i < 200; i++) expect(await give(true)).toBe(true);
  await fail(5, '2001:db8::1');
  await fail(5, '2001:db8::2');
  expect(await give(true, '2001:db8::3')).toBe(60);
});

it('checks that run at one time count as failures until they have ended', async () => {
  const { tryOne, give } = throttled();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const running = Array.from({ length: 10 }, () => tryOne('10.0.0.1', 'anna', () => promise));
  expect(await give(true)).toBe(60);
  resolve(true);
  await Promise.all(running);
  expect(await give(true)).toBe(true);
});

it('a refusal counts for no limit, and a right password not as a failure of a later window', async () => {
  const { clock, tryOne, give, fail } = throttled();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  clock.advance(1);
  await fail(9);
  clock.advance(59);
  const running = tryOne('10.0.0.1', 'anna', () => promise);
  for (let i = 0; i < 100; i++) expect(await give(false)).toBe(1);
  clock.advance(1);
  await fail(10);
  resolve(true);
  await running;
  expect(await give(true)).toBe(60);
  // 19 failures of the hour are counted.
  for (let i = 0; i < 8; i++) await fail(10, `10.0.1.${i}`);
  await fail(1, '10.0.2.1');
  expect(await give(true, '10.0.2.2')).toBe(3_540);
});

it('a check that fails counts as none', async () => {
  const { tryOne, fail, give } = throttled();
  await fail(9);
  const busy = () => Promise.reject(new Error('busy'));
  await expect(tryOne('10.0.0.1', 'anna', busy)).rejects.toThrow('busy');
  expect(await give(true)).toBe(true);
});
