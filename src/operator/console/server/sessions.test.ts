import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../../test/harness/clock.ts';
import type { ConsolePassword } from '../../../features/access/store/console-store.ts';
import { Sessions } from './sessions.ts';

const MINUTE = 60;
const PASSWORD: ConsolePassword = { N: 2, r: 1, p: 1, salt: 'c2FsdA', hash: 'aGFzaA' };
const USE = { renews: true };

function started() {
  const clock = new TestClock();
  const sessions = new Sessions({ clock });
  return { clock, sessions, cookie: sessions.start(PASSWORD) };
}

describe('a session of the console', () => {
  it('ends after thirty minutes without use', () => {
    const { clock, sessions, cookie } = started();
    clock.advance(29 * MINUTE);
    expect(sessions.find(PASSWORD, cookie, USE)).toBeDefined();
    clock.advance(29 * MINUTE);
    expect(sessions.find(PASSWORD, cookie, USE)).toBeDefined();
    clock.advance(30 * MINUTE);
    expect(sessions.find(PASSWORD, cookie, USE)).toBeUndefined();
  });

  it('is not prolonged by a page that refreshes itself', () => {
    const { clock, sessions, cookie } = started();
    for (let minute = 0; minute < 29; minute++) {
      clock.advance(MINUTE);
      expect(sessions.find(PASSWORD, cookie, { renews: false })).toBeDefined();
    }
    clock.advance(MINUTE);
    expect(sessions.find(PASSWORD, cookie, USE)).toBeUndefined();
  });

  it('ends after twelve hours in any case', () => {
    const { clock, sessions, cookie } = started();
    for (let half = 1; half < 48; half++) {
      clock.advance(15 * MINUTE);
      expect(sessions.find(PASSWORD, cookie, USE)).toBeDefined();
    }
    clock.advance(15 * MINUTE);
    expect(sessions.find(PASSWORD, cookie, USE)).toBeUndefined();
  });

  it('ends with its password', () => {
    const { sessions, cookie } = started();
    expect(sessions.find({ ...PASSWORD, hash: 'b3RoZXI' }, cookie, USE)).toBeUndefined();
    expect(sessions.find(PASSWORD, cookie, USE)).toBeDefined();
  });

  it('is one of a hundred at most: the oldest ends first', () => {
    const { sessions, cookie } = started();
    for (let i = 0; i < 99; i++) sessions.start(PASSWORD);
    expect(sessions.find(PASSWORD, cookie, USE)).toBeDefined();
    sessions.start(PASSWORD);
    expect(sessions.find(PASSWORD, cookie, USE)).toBeUndefined();
  });

  it.each(['', '.', 'x', 'x.y', `${'x'.repeat(10_000)}.${'y'.repeat(10_000)}`])(
    'does not exist for a cookie such as %j',
    (cookie) => {
      expect(started().sessions.find(PASSWORD, cookie, USE)).toBeUndefined();
    },
  );
});
