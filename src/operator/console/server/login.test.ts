import { scryptSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../../../test/harness/clock.ts';
import { networkOf } from '../../../engines/http/connection/trusted-proxies.ts';
import type { ConsolePassword } from '../../../features/access/store/console-store.ts';
import { Login, LoginAttempts } from './login.ts';
import { Sessions } from './sessions.ts';

const PASSWORD = 'correct horse battery';

let stored: ConsolePassword;
let login: Login;
beforeEach(() => {
  const [cost, salt] = [{ N: 64, r: 8, p: 1 }, 'c2FsdA'];
  const hash = scryptSync(PASSWORD, Buffer.from(salt, 'base64url'), 32, cost);
  stored = { ...cost, salt, hash: hash.toString('base64url') };
  const store = { password: async () => stored };
  const clock = new TestClock();
  login = new Login({ store, clock, sessions: new Sessions({ clock }) });
});

const loopback = (device?: string) => ({ network: '127.0.0.1', device });

/** Guesses six times. The last guess has to wait. */
async function guess(device?: string): Promise<void> {
  for (let i = 0; i < 5; i++) {
    expect(await login.try('wrong password', loopback(device))).toMatchObject({ status: 401 });
  }
  expect(await login.try(PASSWORD, loopback(device))).toMatchObject({ status: 429 });
}

/** The cookies of a login. */
async function loggedIn(device?: string): Promise<{ session: string; device: string }> {
  const result = await login.try(PASSWORD, loopback(device));
  if (!('session' in result)) throw new Error(result.problem);
  return result;
}

describe('a browser in which a login has succeeded', () => {
  it('does not wait for guessers of the same address, and keeps its cookie', async () => {
    const { device } = await loggedIn();
    await guess();
    expect((await loggedIn(device)).device).toBe(device);
    expect(await login.try(PASSWORD, loopback())).toMatchObject({ status: 429 });
  });

  it('waits after its own failures, and other browsers do not', async () => {
    const [one, other] = [await loggedIn(), await loggedIn()];
    await guess(one.device);
    await loggedIn(other.device);
    await loggedIn();
    expect(await login.try(PASSWORD, loopback(one.device))).toMatchObject({ status: 429 });
  });

  it('is unknown with a cookie that is not of the console, or of a former password', async () => {
    const { session, device } = await loggedIn();
    await guess();
    const [id] = device.split('.');
    for (const other of ['', '.', id, `${id}.`, `${id}.${'A'.repeat(43)}`, session]) {
      expect(await login.try(PASSWORD, loopback(other)), other).toMatchObject({ status: 429 });
    }
    stored = { ...stored, hash: Buffer.alloc(32).toString('base64url') };
    expect(await login.try(PASSWORD, loopback(device))).toMatchObject({ status: 429 });
  });
});

const at = (address: string, device?: string) => ({ network: networkOf(address), device });

function attempts() {
  const clock = new TestClock();
  const made = new LoginAttempts({ clock });
  const begin = (address: string, device?: string) => made.begin(at(address, device));
  const fail = (address: string, count: number) => {
    for (let i = 0; i < count; i++) expect(begin(address)).toBeUndefined();
  };
  return { clock, made, begin, fail };
}

describe('attempts to log in', () => {
  it('wait twice as long after each further failure of an address, up to a quarter of an hour', () => {
    const { clock, begin, fail } = attempts();
    fail('10.0.0.1', 5);
    const waits: number[] = [];
    for (let i = 0; i < 7; i++) {
      const wait = begin('10.0.0.1')!;
      waits.push(wait);
      clock.advance(wait - 0.001);
      expect(begin('10.0.0.1')).toBe(1);
      clock.advance(0.001);
      fail('10.0.0.1', 1);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900]);
  });

  it('of other addresses go on, but those of one network count together', () => {
    const { begin, fail } = attempts();
    fail('2001:db8::1', 3);
    fail('2001:db8::2', 2);
    expect(begin('2001:db8::3')).toBe(30);
    fail('10.0.0.2', 1);
  });

  it('of many addresses wait together, for a short time', () => {
    const { clock, begin } = attempts();
    for (let i = 0; i < 30; i++) expect(begin(`10.0.0.${i}`)).toBeUndefined();
    expect(begin('10.0.1.1')).toBe(1);
    clock.advance(1);
    expect(begin('10.0.1.1')).toBeUndefined();
    expect(begin('10.0.1.2')).toBe(2);
  });

  it('are forgotten after a success, and after an hour', () => {
    const { clock, made, begin, fail } = attempts();
    fail('10.0.0.1', 4);
    made.succeed(at('10.0.0.1'));
    fail('10.0.0.1', 5);
    expect(begin('10.0.0.1')).toBe(30);
    clock.advance(60 * 60);
    fail('10.0.0.1', 5);
  });

  it('of a browser with an earlier login do not wait for those of guessers', () => {
    const { made, begin, fail } = attempts();
    fail('127.0.0.1', 5);
    for (let i = 0; i < 25; i++) expect(begin(`127.0.1.${i}`)).toBeUndefined();
    expect(begin('127.0.0.1')).toBe(30);
    expect(begin('::1')).toBe(1);
    expect(begin('127.0.0.1', 'device')).toBeUndefined();
    made.succeed(at('127.0.0.1', 'device'));
    // A login does not give a guesser more attempts.
    expect(begin('127.0.0.1')).toBe(30);
    expect(begin('::1')).toBe(1);
  });

  it('of such a browser are limited on their own', () => {
    const { made, begin, fail } = attempts();
    for (let i = 0; i < 5; i++) expect(begin('127.0.0.1', 'one')).toBeUndefined();
    expect(begin('127.0.0.2', 'one')).toBe(30);
    expect(begin('127.0.0.1', 'other')).toBeUndefined();
    made.succeed(at('127.0.0.1', 'other'));
    expect(begin('127.0.0.1', 'one')).toBe(30);
    fail('127.0.0.1', 5);
  });

  it.each([
    ['one address', () => '127.0.0.1', [12, 4]],
    ['many addresses', (i: number) => `127.0.${i >> 8}.${i & 255}`, [153, 120]],
  ])('of %s are few in each hour', (_, addressOf, [first, further]) => {
    const { clock, begin } = attempts();
    const counts: number[] = [];
    for (let hour = 0; hour < 4; hour++) {
      let tries = 0;
      for (let second = 0; second < 3_600; second++) {
        // Each second, as many as pass.
        while (begin(addressOf(counts.length * 1_000 + tries)) === undefined) tries++;
        clock.advance(1);
      }
      counts.push(tries);
    }
    expect(counts).toEqual([first, further, further, further]);
  });

  it('with the right password do not count for all', () => {
    const { made, begin } = attempts();
    for (let i = 0; i < 100; i++) {
      expect(begin('10.0.0.1')).toBeUndefined();
      made.succeed(at('10.0.0.1'));
    }
  });
});
