import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { together } from './together.ts';

// The length of a round is measured by it.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('runs a step of all requests before the next one', async () => {
  const ran: string[] = [];
  const request = (name: string) =>
    together(() => {
      ran.push(`find ${name}`);
      return together(() => ran.push(`write ${name}`));
    });
  const ended = await Promise.all(['a', 'b', 'c'].map(request));
  expect(ran).toEqual(['find a', 'find b', 'find c', 'write a', 'write b', 'write c']);
  expect(ended).toEqual([4, 5, 6]);
});

it('runs the steps when eight wait, so that no round of the event loop becomes long', async () => {
  const ran: number[] = [];
  const counts: number[] = [];
  const requests = Array.from({ length: 19 }, (_, i) => {
    const request = together(() => together(() => ran.push(i)));
    counts.push(ran.length);
    return request;
  });
  expect(counts).toEqual([...Array(7).fill(0), ...Array(8).fill(8), ...Array(4).fill(16)]);
  await Promise.all(requests);
  expect(ran).toEqual(requests.map((_, i) => i));
});

it('rejects with the error of a step, and runs the others', async () => {
  const steps = [
    () => 1,
    () => {
      throw new Error('thrown');
    },
    () => Promise.reject(new Error('rejected')),
    () => together(() => 4),
  ];
  const results = await Promise.allSettled(steps.map((step) => together<number>(step)));
  expect(results).toEqual([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: new Error('thrown') },
    { status: 'rejected', reason: new Error('rejected') },
    { status: 'fulfilled', value: 4 },
  ]);
});

it('makes and sends the response to a request whose step takes long before it begins another one', async () => {
  const ran: string[] = [];
  const request = (name: string) =>
    together(() => {
      ran.push(`find ${name}`);
      vi.advanceTimersByTime(6);
      return together(() => ran.push(`write ${name}`));
    });
  await Promise.all(['a', 'b'].map(request));
  expect(ran).toEqual(['find a', 'write a', 'find b', 'write b']);
});
