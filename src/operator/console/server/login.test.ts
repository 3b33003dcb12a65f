import { scryptSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../../../test/harness/clock.ts';
import type { ConsolePassword } from '../../../features/access/console-password.ts';
import { Login } from './login.ts';
import { Sessions } from './sessions.ts';

const PASSWORD = 'correct horse battery';

let stored: ConsolePassword;
let login: Login;
beforeEach(() => {
  const [cost, salt] = [{ N: 64, r: 8, p: 1 }, 'c2FsdA'];
  const hash = scryptSync(PASSWORD, Buffer.from(salt, 'base64url'), 32, cost);
  stored = { ...cost, salt, hash: hash.toString('base64url') };
  const store = { password: async () => stored, setPassword: async () => {} };
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
