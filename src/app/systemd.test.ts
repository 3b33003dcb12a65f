import { expect, it } from 'vitest';
import { readConfig } from './config/config.ts';

it.each([
  [{}, null],
  [{ WATCHDOG_USEC: '3000000' }, null],
  [{ NOTIFY_SOCKET: '/run/systemd/notify' }, { watchdogMs: null }],
  [{ NOTIFY_SOCKET: '@abstract', WATCHDOG_USEC: '3000000' }, { watchdogMs: 3_000 }],
  [
    { NOTIFY_SOCKET: '@a', WATCHDOG_USEC: '3000000', WATCHDOG_PID: `${process.pid}` },
    { watchdogMs: 3_000 },
  ],
  [{ NOTIFY_SOCKET: '@a', WATCHDOG_USEC: '3000000', WATCHDOG_PID: '1' }, { watchdogMs: null }],
  [{ NOTIFY_SOCKET: '@a', WATCHDOG_USEC: 'soon' }, { watchdogMs: null }],
])('systemd asks by %j for %j', (env, expected) => {
  expect(readConfig(env).systemd).toEqual(expected);
});
