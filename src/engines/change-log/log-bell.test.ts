import { expect, it } from 'vitest';
import { ShortLog, stopFollowersAfterEachTest } from './follower.test-support.ts';
import { LogBell } from './log-bell.ts';

stopFollowersAfterEachTest();

const never = new AbortController().signal;
const anything = () => true;

/** Some changes of tracks with these numbers, which are updates. */
function changes(...seqs: number[]) {
  const log = new ShortLog();
  log.write(Math.max(...seqs));
  return log.changes.filter(({ seq }) => seqs.includes(seq));
}

/** Whether each promise has resolved, after the callbacks that are due have run. */
async function resolved(...promises: Promise<unknown>[]): Promise<boolean[]> {
  const states = promises.map(() => false);
  for (const [i, promise] of promises.entries()) {
    void promise.then(() => {
      states[i] = true;
    });
  }
  await new Promise(setImmediate);
  return states;
}

it('wakes the requests that want one of the changes', async () => {
  const bell = new LogBell();
  const second = bell.wait(0, ({ seq }) => seq === 2, never);
  const ninth = bell.wait(0, ({ seq }) => seq === 9, never);
  bell.ring(1, changes(1));
  expect(await resolved(second, ninth)).toEqual([false, false]);
  bell.ring(3, changes(2, 3));
  expect(await resolved(second, ninth)).toEqual([true, false]);
  expect(bell.waiting).toBe(1);
  // The changes of a catalog that was rebuilt are unknown.
  bell.ring(9);
  expect(await resolved(ninth)).toEqual([true]);
  expect(bell.waiting).toBe(0);
});

it('does not let a request wait for what it has missed', async () => {
  const bell = new LogBell();
  bell.ring(5, changes(5));
  expect(await resolved(bell.wait(4, anything, never), bell.wait(5, anything, never))).toEqual([
    true,
    false,
  ]);
  // A bell that rings again for the same position wakes nobody.
  bell.ring(5, changes(5));
  expect(bell.waiting).toBe(1);
});

it('wakes a request when its signal aborts', async () => {
  const bell = new LogBell();
  const ending = new AbortController();
  const [one, other] = [bell.wait(0, anything, ending.signal), bell.wait(0, anything, never)];
  ending.abort();
  expect(await resolved(one, other, bell.wait(0, anything, ending.signal))).toEqual([
    true,
    false,
    true,
  ]);
  expect(bell.waiting).toBe(1);
});

it('tells a request whether it was woken for a change, and up to where it has seen none', async () => {
  const bell = new LogBell();
  const isTenth = ({ seq }: { seq: number }) => seq === 10;
  const first = bell.wait(0, isTenth, never);
  bell.ring(7, changes(6, 7));
  bell.wakeAll();
  expect(await first).toEqual({ isForChange: false, position: 7 });
  const second = bell.wait(7, isTenth, never);
  bell.ring(10, changes(9, 10));
  expect(await second).toEqual({ isForChange: true, position: 10 });
  expect(await bell.wait(7, isTenth, never)).toEqual({ isForChange: true, position: 10 });
});

it('wakes every request for another reason, and lets none wait after its end', async () => {
  const bell = new LogBell();
  const none = () => false;
  const first = bell.wait(0, none, never);
  bell.wakeAll();
  const second = bell.wait(0, none, never);
  expect(await resolved(first, second)).toEqual([true, false]);
  bell.end();
  expect(await resolved(second, bell.wait(0, none, never))).toEqual([true, true]);
  expect(bell.waiting).toBe(0);
});
