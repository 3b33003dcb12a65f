import { execFile } from 'node:child_process';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../../test/harness/until.ts';
import { StaveError } from '../../common/errors.ts';
import { JobThread, type JobThreadOptions } from './job-thread.ts';

type News = { threadId: number } | { sum: number };

const fileOf = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
/** Adds numbers; refuses negative ones, and ends with NaN. */
const SOURCE = `
  import { threadId } from 'node:worker_threads';
  import { StaveError } from ${fileOf('../../common/errors.ts')};
  import { doJobs } from ${fileOf('./job-thread.ts')};
  doJobs(async (numbers, tell) => {
    tell({ threadId });
    if (numbers.some(Number.isNaN)) process.exit(1);
    await new Promise((resolve) => setImmediate(resolve));
    if (numbers.some((number) => number < 0)) throw new StaveError('invalid_request', 'negative');
    tell({ sum: numbers.reduce((a, b) => a + b, 0) });
  });`;

const MODULE = `data:text/javascript,${encodeURIComponent(SOURCE)}`;

let thread: JobThread<number[], News>;
afterEach(() => thread.close());

function start(options: JobThreadOptions = {}): void {
  thread = new JobThread(MODULE, options);
}

/** Does a job, and returns its news. */
async function newsOf(numbers: number[]): Promise<News[]> {
  const all: News[] = [];
  await thread.run(numbers, (news) => all.push(news));
  return all;
}

it('does one job after another in one thread, also after a failure', async () => {
  start();
  const refused = newsOf([1, -1]);
  const jobs = [newsOf([1, 2]), newsOf([3, 4, 5])];
  const error = await refused.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StaveError);
  expect(error).toMatchObject({ kind: 'invalid_request', message: 'negative' });
  const [[first, three], [second, twelve]] = (await Promise.all(jobs)) as [News[], News[]];
  expect([three, twelve]).toEqual([{ sum: 3 }, { sum: 12 }]);
  expect(second).toEqual(first);
});

it('starts a new thread when the last one has ended', async () => {
  start();
  const [first] = await newsOf([1]);
  await expect(newsOf([Number.NaN])).rejects.toThrow('The thread was ended');
  const [second, sum] = await newsOf([2]);
  expect(sum).toEqual({ sum: 2 });
  expect(second).not.toEqual(first);
});

it('ends a thread without a job', async () => {
  start({ idleMs: 0 });
  const [first] = await newsOf([1]);
  await until(async () => !isDeepStrictEqual((await newsOf([1]))[0], first), 'another thread');
});

it('rejects the jobs that are not done when it is closed, and later ones', async () => {
  start();
  const jobs = [newsOf([1]), newsOf([2])].map((job) => job.catch((error: Error) => error.message));
  await thread.close();
  expect(await Promise.all(jobs)).toEqual(['The thread was ended', 'The thread was ended']);
  await expect(newsOf([3])).rejects.toThrow('The thread was ended');
});

it('does not keep its process alive when it is closed during a job', async () => {
  const program = `
    import { JobThread } from ${fileOf('./job-thread.ts')};
    const thread = new JobThread(${JSON.stringify(MODULE)}, { idleMs: 3_600_000 });
    await thread.run([1], () => void thread.close()).catch(() => {});
    process.on('exit', () => console.log('ended'));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', program]);
  expect(stdout).toBe('ended\n');
});
