import { afterEach, describe, expect, it, vi } from 'vitest';
import { PeriodicTasks } from './periodic-tasks.ts';

const started: PeriodicTasks[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((tasks) => tasks.stop()));
});

/** Starts the tasks with these functions, named by their numbers. */
function start(
  runs: readonly ((signal: AbortSignal) => Promise<unknown>)[],
  intervalMs = 86_400_000,
) {
  const errors: [string, unknown][] = [];
  const tasks = new PeriodicTasks({
    tasks: runs.map((run, i) => ({ name: `task ${i}`, run })),
    intervalMs,
    onError: (error, { name }) => errors.push([name, error]),
  });
  started.push(tasks);
  tasks.start();
  return { tasks, errors };
}

describe('periodic tasks', () => {
  it('run one after another, at the start and repeatedly', async () => {
    const events: string[] = [];
    const run = (name: string) => async () => {
      events.push(`${name} begins`);
      await Promise.resolve();
      events.push(`${name} ends`);
    };
    start([run('a'), run('b')], 1);
    await vi.waitFor(() => expect(events.length).toBeGreaterThanOrEqual(8));
    const once = ['a begins', 'a ends', 'b begins', 'b ends'];
    expect(events.slice(0, 8)).toEqual([...once, ...once]);
  });

  it('skip the intervals that pass during a run', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { promise, resolve } = Promise.withResolvers<void>();
      const run = vi.fn().mockReturnValueOnce(promise).mockResolvedValue(undefined);
      start([run], 10);
      await vi.advanceTimersByTimeAsync(55);
      expect(run).toHaveBeenCalledTimes(1);
      resolve();
      await vi.advanceTimersByTimeAsync(10);
      expect(run).toHaveBeenCalledTimes(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('report a failure, go on with the next task and try again', async () => {
    const failure = new Error('no disk');
    const failing = vi.fn().mockRejectedValueOnce(failure).mockResolvedValue(0);
    const next = vi.fn().mockResolvedValue(0);
    const { errors } = start([failing, next], 1);
    await vi.waitFor(() => expect(failing.mock.calls.length).toBeGreaterThan(2));
    expect(errors).toEqual([['task 0', failure]]);
    expect(next.mock.calls.length).toBeGreaterThanOrEqual(2);
  });

  it('end the present task when they are stopped, and do not run again', async () => {
    const runs: string[] = [];
    const waiting = (signal: AbortSignal) => {
      runs.push('waiting');
      return new Promise<void>((resolve) =>
        signal.addEventListener('abort', () => resolve(), { once: true }),
      );
    };
    const next = async () => runs.push('next');
    const { tasks } = start([waiting, next]);
    await vi.waitFor(() => expect(runs).toHaveLength(1));
    await tasks.stop();
    expect(runs).toEqual(['waiting']);
  });
});
