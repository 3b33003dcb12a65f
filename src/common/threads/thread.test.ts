import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/harness/until.ts';
import { StaveError } from '../errors.ts';
import { LazyThread, type LazyThreadOptions, Thread, type ThreadOptions } from './thread.ts';

const fileOf = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
const moduleOf = (offer: string) => {
  const source = `
    import { getCompileCacheDir } from 'node:module';
    import { getPriority } from 'node:os';
    import { threadId, workerData } from 'node:worker_threads';
    import { StaveError } from ${fileOf('../errors.ts')};
    import { offerToStarter } from ${fileOf('./calls.ts')};
    const starter = offerToStarter(${offer}, ${MOVED});`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
};
const MOVED = '(sent) => sent instanceof Uint8Array ? [sent.buffer] : []';

interface Offered {
  threadId(): number;
  about(): [workerData: unknown, cacheDir: string, priority: number];
  add(a: number, b: number): number;
  double(number: number): number;
  later(ms: number, result: string): string;
  refuse(): never;
  exit(): never;
  crash(): never;
  each(items: string[], take: (item: string) => number): number[];
  afterwards(take: () => void): string;
  bytes(): Uint8Array;
}

const MODULE = moduleOf(`{
  threadId: () => threadId,
  about: () => [workerData, typeof getCompileCacheDir(), getPriority()],
  add: (a, b) => a + b,
  double: (number) => starter.call('twice', number),
  later: (ms, result) => new Promise((resolve) => setTimeout(resolve, ms, result)),
  refuse() { throw new StaveError('invalid_request', 'negative'); },
  exit: () => process.exit(1),
  crash: () => new Promise(() => setImmediate(() => { throw new Error('crashed'); })),
  each: async (items, take) => {
    const all = [];
    for (const item of items) all.push(await take(item));
    return all;
  },
  afterwards: (take) => { setTimeout(take, 5); return 'done'; },
  bytes: () => new Uint8Array(3).fill(7),
}`);

const closing: { terminate?(): Promise<void>; close?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await (one.close ?? one.terminate)!.call(one);
});

function start(options: ThreadOptions = {}): Thread<Offered> {
  const thread = new Thread<Offered>(MODULE, options);
  closing.push(thread);
  return thread;
}

function lazy(options: LazyThreadOptions = {}): LazyThread<Offered> {
  const thread = new LazyThread<Offered>(MODULE, options);
  closing.push(thread);
  return thread;
}

describe('Thread', () => {
  it('starts with its data and with the compile cache', async () => {
    const about = await start({ workerData: 7 }).call('about');
    expect(about.slice(0, 2)).toEqual([7, 'string']);
  });

  it.runIf(process.platform === 'linux')('lowers the priority of a thread alone', async () => {
    const own = getPriority();
    expect((await start({ lowerBy: 5 }).call('about'))[2]).toBe(Math.min(own + 5, 19));
    expect((await start().call('about'))[2]).toBe(own);
    expect(getPriority()).toBe(own);
  });

  it('gives each call its own response, in any order', async () => {
    const thread = start();
    const calls = [thread.call('later', 30, 'a'), thread.call('later', 1, 'b')];
    expect(await thread.call('add', 1, 2)).toBe(3);
    expect(await Promise.race(calls)).toBe('b');
    expect(await Promise.all(calls)).toEqual(['a', 'b']);
  });

  it('passes on errors, and goes on', async () => {
    const thread = start();
    const error = await thread.call('refuse').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StaveError);
    expect(error).toMatchObject({ kind: 'invalid_request', message: 'negative' });
    expect(await thread.call('add', 2, 2)).toBe(4);
  });

  it('is called, and calls what its starter offers', async () => {
    const thread = start({ offer: { twice: (number: number) => 2 * number } });
    expect(await thread.call('double', 21)).toBe(42);
  });

  it('calls functions that are arguments, until it has responded', async () => {
    const thread = start();
    const taken: string[] = [];
    const take = (item: string) => taken.push(item);
    expect(await thread.call('each', ['a', 'b'], take)).toEqual([1, 2]);
    expect(taken).toEqual(['a', 'b']);
    await expect(
      thread.call('each', ['c'], () => {
        throw new StaveError('unavailable', 'not now');
      }),
    ).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await thread.call('afterwards', () => taken.push('late'))).toBe('done');
    await thread.call('later', 20, '');
    expect(taken).toEqual(['a', 'b']);
  });

  it('moves buffers', async () => {
    expect(await start().call('bytes')).toEqual(new Uint8Array([7, 7, 7]));
  });

  it('rejects its calls with the reason when it ends', async () => {
    const [exits, crashes, ended] = [start(), start(), start()];
    await expect(exits.call('exit')).rejects.toThrow('The thread was ended');
    await expect(crashes.call('crash')).rejects.toThrow('crashed');
    expect((await crashes.ended).message).toBe('crashed');
    const call = ended.call('later', 60_000, '').catch((error: Error) => error.message);
    await ended.terminate(new Error('too late'));
    expect(await call).toBe('too late');
    await expect(ended.call('add', 1, 1)).rejects.toThrow('too late');
  });
});

describe('LazyThread', () => {
  it('starts with the first call, and again after its end', async () => {
    const thread = lazy();
    const first = await thread.call('threadId');
    expect(await thread.call('threadId')).toBe(first);
    await expect(thread.call('exit')).rejects.toThrow('The thread was ended');
    const second = await thread.call('threadId');
    expect(second).not.toBe(first);
    await thread.end();
    expect(await thread.call('threadId')).not.toBe(second);
  });

  it('ends when it has nothing to do', async () => {
    const thread = lazy({ idleMs: 0 });
    const first = await thread.call('threadId');
    expect(await thread.call('later', 20, 'a')).toBe('a');
    await until(async () => (await thread.call('threadId')) !== first, 'another thread');
  });

  it('rejects open and later calls when it is closed', async () => {
    const thread = lazy();
    const calls = ['a', 'b'].map((result) =>
      thread.call('later', 60_000, result).catch((error: Error) => error.message),
    );
    await thread.close();
    expect(await Promise.all(calls)).toEqual(['The thread was ended', 'The thread was ended']);
    await expect(thread.call('add', 1, 1)).rejects.toThrow('The thread was ended');
  });

  it('keeps its process alive only during calls and until it has ended', async () => {
    const program = `
      import { LazyThread } from ${fileOf('./thread.ts')};
      const thread = new LazyThread(${JSON.stringify(MODULE)}, { idleMs: 3_600_000 });
      console.log(await thread.call('later', 20, 'responded'));
      void thread.call('later', 60_000, '').catch(() => {});
      await thread.close();
      process.on('exit', () => console.log('ended'));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--eval', program]);
    expect(stdout).toBe('responded\nended\n');
  });
});
