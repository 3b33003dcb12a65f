import { describe, expect, it } from 'vitest';
import { WaitPolicy } from './wait-policy.ts';

/** Work that fails `times` times, each time with the number of the attempt, and then succeeds. */
function failing(times: number): () => Promise<string> {
  let tries = 0;
  return async () => {
    if (++tries <= times) throw new Error(`fault ${tries}`);
    return `done at ${tries}`;
  };
}

function recorded(ms: number, signal?: AbortSignal) {
  const reports: string[] = [];
  const waitPolicy = new WaitPolicy({
    ms,
    signal,
    onWait: (reason) => reports.push(reason),
    onContinue: () => reports.push('on'),
  });
  return { waitPolicy, reports };
}

const always = () => 'it is away';

describe('WaitPolicy', () => {
  it('repeats work until it succeeds, and reports the wait and its end once', async () => {
    const { waitPolicy, reports } = recorded(60_000);
    const both = await Promise.all([1, 2].map((n) => waitPolicy.run(failing(n), always)));
    expect(both).toEqual(['done at 2', 'done at 3']);
    expect(reports).toEqual(['it is away', 'on']);
    expect(await waitPolicy.run(failing(0), always)).toBe('done at 1');
    expect(reports).toHaveLength(2);
  });

  it('does not repeat work that fails for another reason, at first or later', async () => {
    const { waitPolicy, reports } = recorded(60_000);
    await expect(waitPolicy.run(failing(1), () => undefined)).rejects.toThrow('fault 1');
    expect(reports).toEqual([]);
    const first = (error: unknown) =>
      (error as Error).message === 'fault 1' ? 'it is away' : undefined;
    await expect(waitPolicy.run(failing(5), first)).rejects.toThrow('fault 2');
  });

  it('does not wait any more after one wait has timed out', async () => {
    const { waitPolicy } = recorded(250);
    await expect(waitPolicy.run(failing(1_000), always)).rejects.toThrow(/^fault \d+$/);
    expect(waitPolicy.ms).toBe(0);
    await expect(waitPolicy.run(failing(1), always)).rejects.toThrow('fault 1');
  });

  it('does not wait after its end, and never with the policy `none`', async () => {
    const { waitPolicy } = recorded(60_000);
    waitPolicy.end();
    await expect(waitPolicy.run(failing(1), always)).rejects.toThrow('fault 1');
    await expect(WaitPolicy.none.run(failing(1), always)).rejects.toThrow('fault 1');
  });

  it('stops waiting when the signal aborts, even if the work never ends', async () => {
    const stop = new AbortController();
    const { waitPolicy } = recorded(60_000, stop.signal);
    const begun = Promise.withResolvers<void>();
    let tries = 0;
    const waiting = waitPolicy.run(async () => {
      if (++tries === 1) throw new Error('fault');
      begun.resolve();
      return new Promise<never>(() => {});
    }, always);
    await begun.promise;
    stop.abort();
    await expect(waiting).rejects.toThrow('Stopped while waiting: it is away.');
    await expect(waitPolicy.run(failing(1), always)).rejects.toThrow('fault 1');
  });
});
