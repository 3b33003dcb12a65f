import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../../test/harness/clock.ts';
import { Sessions } from './sessions.ts';

const MINUTE = 60;
const ANNA = { name: 'anna', role: 'owner', sessionsId: 'first' } as const;
const BEN = { name: 'ben', role: 'viewer', sessionsId: 'first' } as const;

function started() {
  const clock = new TestClock();
  const sessions = new Sessions({ clock });
  const { cookie } = sessions.start(ANNA);
  const use = () => {
    const found = sessions.find(cookie);
    if (found !== undefined) sessions.renew(found);
    return found;
  };
  return { clock, sessions, cookie, use };
}

describe('a session of the console', () => {
  it('ends after sixty minutes without use', () => {
    const { clock, use } = started();
    clock.advance(59 * MINUTE);
    expect(use()).toMatchObject({ name: 'anna', role: 'owner' });
    clock.advance(59 * MINUTE);
    expect(use()).toBeDefined();
    clock.advance(60 * MINUTE);
    expect(use()).toBeUndefined();
  });

  it('is not prolonged by a page that refreshes itself', () => {
    const { clock, sessions, cookie } = started();
    clock.advance(59 * MINUTE);
    expect(sessions.find(cookie)).toBeDefined();
    clock.advance(MINUTE);
    expect(sessions.find(cookie)).toBeUndefined();
  });

  it('ends after twelve hours in any case', () => {
    const { clock, use } = started();
    for (let half = 1; half < 24; half++) {
      clock.advance(30 * MINUTE);
      expect(use()).toBeDefined();
    }
    clock.advance(30 * MINUTE);
    expect(use()).toBeUndefined();
  });

  it('is one of twenty of its operator: the oldest ends first, and none of others', () => {
    const { sessions, cookie } = started();
    const other = sessions.start(BEN);
    for (let i = 0; i < 19; i++) sessions.start(ANNA);
    expect(sessions.find(cookie)).toBeDefined();
    sessions.start(ANNA);
    expect(sessions.find(cookie)).toBeUndefined();
    expect(sessions.find(other.cookie)).toBeDefined();
  });

  it('exists for its operator as the operator is now', () => {
    const { clock, sessions } = started();
    expect(sessions.has(ANNA)).toBe(true);
    expect(sessions.has({ ...ANNA, sessionsId: 'second' })).toBe(false);
    expect(sessions.has(BEN)).toBe(false);
    clock.advance(60 * MINUTE);
    expect(sessions.has(ANNA)).toBe(false);
  });

  it('does not exist for the stored form of its cookie, or for another one', () => {
    const { sessions, cookie } = started();
    const { id } = sessions.find(cookie)!;
    for (const other of ['', 'x', id, `${cookie}.`, 'x'.repeat(10_000)]) {
      expect(sessions.find(other)).toBeUndefined();
    }
  });
});
