import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Overload } from '../readiness.ts';
import type { RequestContext } from '../route/request-context.ts';

/** The time, and the processor time of the thread, in milliseconds. */
let nowMs: number;
let cpuMs: number;
let refusals: number;
let overload: Overload;

beforeEach(() => {
  nowMs = 10_000;
  cpuMs = 5_000;
  refusals = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({
    user: cpuMs * 800,
    system: cpuMs * 200,
  }));
  overload = new Overload({ onRefused: () => refusals++ });
  overload.tick(nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Passes time, of which the thread has a processor for a part. */
function pass(ms: number, ofProcessorMs = ms): void {
  nowMs += ms;
  cpuMs += ofProcessorMs;
}

/** Lets a round of the event loop end. */
const endRound = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Begins a request. Returns whether it is served. */
const isServed = (isLate = false) =>
  overload.admits({ startedMs: nowMs, isLate } as RequestContext);

/** Begins requests; serving one takes this long. Returns how many of them were served. */
function requests(count: number, ms = 0, ofProcessorMs = ms): number {
  let served = 0;
  for (let i = 0; i < count; i++) {
    if (isServed()) {
      served++;
      pass(ms, ofProcessorMs);
    } else {
      overload.refusal();
    }
  }
  return served;
}

const retryAfter = () => Number(overload.refusal().headers!['Retry-After']);

describe('one round of the event loop', () => {
  it('serves requests for 250 ms of its processor time, and refuses the rest', async () => {
    expect(requests(64, 20)).toBe(13);
    expect(refusals).toBe(51);
    await endRound();
    expect(requests(10, 20)).toBe(10);
  });

  it('serves the first request, however late', async () => {
    pass(60_000);
    expect(requests(1, 60_000)).toBe(1);
    await endRound();
    expect(requests(1)).toBe(1);
  });

  it('serves all that arrived while another task ran for long', () => {
    pass(5_000);
    expect(requests(300, 0.5)).toBe(300);
  });

  it('refuses none of up to a hundred requests while others use the processor', () => {
    expect(requests(100, 300, 2)).toBe(100);
  });

  it('refuses those after the hundredth, also while others use the processor', () => {
    expect(requests(300, 300, 2)).toBe(100);
  });

  it('refuses none in short rounds', async () => {
    let served = 0;
    for (let i = 0; i < 100; i++) {
      served += requests(100, 1);
      await endRound();
    }
    expect(served).toBe(10_000);
  });

  it('does not count requests that were served before the process paused', async () => {
    for (let i = 0; i < 1_000; i++) {
      expect(requests(1, 0.2)).toBe(1);
      await endRound();
    }
    pass(300, 0);
    expect(requests(20, 20, 0)).toBe(20);
  });

  it('refuses a request that waited too long for its turn', () => {
    expect(isServed(true)).toBe(false);
  });

  it('serves for as long as it refuses, if all requests are late', async () => {
    let served = 0;
    for (let i = 0; i < 10_000; i++) {
      if (isServed(true)) {
        served++;
        pass(3);
      } else {
        pass(1);
      }
      if (i % 10 === 0) await endRound();
    }
    expect(served / 10_000).toBeCloseTo(0.25, 1);
  });
});

describe('Retry-After', () => {
  it('is the time that the node needs for what it refused', async () => {
    // Two windows, each with 250 served requests and as many refused as given.
    const load = async (refused: number) => {
      for (let i = 0; i < 2; i++) {
        requests(250);
        for (let j = 0; j < refused; j++) overload.refusal();
        pass(500);
        overload.tick(nowMs);
        await endRound();
      }
      pass(400);
      requests(100);
      return retryAfter();
    };
    expect(await load(0)).toBe(1);
    expect(await load(1_000)).toBe(3);
    expect(await load(4_000)).toBe(9);
    expect(await load(16_000)).toBe(30);
  });

  it('is a second again when nothing was refused for a second', () => {
    pass(400);
    for (let i = 0; i < 1_000; i++) overload.refusal();
    expect(retryAfter()).toBeGreaterThan(1);
    for (let i = 0; i < 2; i++) {
      pass(500);
      overload.tick(nowMs);
    }
    expect(retryAfter()).toBe(1);
  });
});
