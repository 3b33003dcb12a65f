import type { LoadJob, LoadResult } from './load.ts';
import { load } from './processes.ts';

/** Sends load in short jobs of their duration until the work ends. Returns the median job, and the longest latency. */
export async function loadUntil(work: Promise<unknown>, job: LoadJob): Promise<LoadResult> {
  let isEnded = false;
  const end = () => {
    isEnded = true;
  };
  work.then(end, end);
  const results: LoadResult[] = [];
  while (!isEnded) results.push(await load(job));
  // The median over the jobs, because the p99 of one job is that of a few seconds.
  const byP99 = results.toSorted((a, b) => a.p99 - b.p99);
  return { ...byP99[byP99.length >> 1]!, max: Math.max(...results.map(({ max }) => max)) };
}
