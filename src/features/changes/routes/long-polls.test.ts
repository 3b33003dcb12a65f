import { expect, it } from 'vitest';
import { createOpenCountsMemory, OpenCounts } from '../../../common/memory/open-counts.ts';
import { LogBell } from '../../../engines/change-log/log-bell.ts';
import { Readiness } from '../../../engines/http/readiness.ts';
import { LongPolls } from './long-polls.ts';

const never = new AbortController().signal;

it('ends with unavailable when the node becomes stale', async () => {
  let isStale = false;
  const readiness = new Readiness({ isStale: () => isStale });
  readiness.serve();
  const polls = new LongPolls({ bell: new LogBell(), readiness, open: new OpenCounts() });
  const wait = polls.begin('one', 60_000, never)!;
  const next = wait.next(0, () => true);
  isStale = true;
  await expect(next).rejects.toMatchObject({ kind: 'unavailable' });
  wait.end();
  expect(polls.size).toBe(0);
});

it('counts the requests of each client, and shows the one that is furthest behind', async () => {
  const readiness = new Readiness();
  readiness.serve();
  const bell = new LogBell();
  bell.ring(100);
  const polls = new LongPolls({ bell, readiness, open: new OpenCounts() });
  const waits = Array.from({ length: 10 }, () => polls.begin('one', 60_000, never)!);
  expect(polls.begin('one', 60_000, never)).toBeUndefined();
  const other = polls.begin('two', 60_000, never)!;
  const next = other.next(100, () => false);
  expect([polls.size, polls.behind]).toEqual([11, 0]);
  bell.ring(130, []);
  expect(polls.behind).toBe(30);
  bell.wakeAll();
  expect(await next).toEqual({ isForChange: false, position: 130 });
  waits[0]!.end();
  polls.begin('one', 60_000, never)!.end();
  for (const wait of [...waits.slice(1), other]) wait.end();
  expect([polls.size, polls.behind]).toEqual([0, 0]);
});

it('counts the requests of a client over all workers of the node', () => {
  const memory = createOpenCountsMemory();
  const readiness = new Readiness();
  const workers = [1, 2].map(
    () => new LongPolls({ bell: new LogBell(), readiness, open: new OpenCounts(memory) }),
  );
  const waits = Array.from({ length: 10 }, (_, i) => workers[i % 2]!.begin('one', 60_000, never)!);
  for (const worker of workers) expect(worker.begin('one', 60_000, never)).toBeUndefined();
  waits[0]!.end();
  waits[0] = workers[1]!.begin('one', 60_000, never)!;
  expect(workers.map(({ size }) => size)).toEqual([4, 6]);
  for (const wait of waits) wait.end();
});
