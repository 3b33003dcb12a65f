import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OperatorError } from '../../common/errors.ts';
import { silentLog } from '../../common/log.ts';
import { Calls } from '../../common/threads/calls.ts';
import type { MergeInput } from '../../engines/search/build/merge.ts';
import { buildSegment } from '../../engines/search/build/segment-builder.ts';
import { runSteps } from '../../engines/search/build/steps.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import type { IndexMaker } from '../indexing/index-source.ts';
import { IndexBroker } from './index-broker.ts';
import type { WorkerStarter } from './messages.ts';
import { RemoteIndexMaker } from './remote-makers.ts';

const segment = (seq: number) => runSteps(buildSegment([], seq));
const inputAt = (seq: number): MergeInput => ({
  parts: [{ columns: segment(0), live: new Uint32Array() }],
  isWhole: true,
  seq,
});

/** A slow maker. The test sets the head of its log. */
function slowMaker() {
  const made = { opens: 0, builds: 0, changes: [] as number[], head: 0 };
  const maker: IndexMaker = {
    async open() {
      made.opens++;
      const { head } = made;
      await sleep(20);
      return segment(head);
    },
    async build() {
      made.builds++;
      const { head } = made;
      await sleep(20);
      return segment(head);
    },
    merge: async ({ seq }) => segment(seq),
    async changes(after) {
      made.changes.push(after);
      const { head } = made;
      await sleep(20);
      return { columns: segment(head), removed: new Uint32Array() };
    },
    close: async () => {},
  };
  return { maker, made };
}

describe('IndexBroker', () => {
  it('opens and builds once for all concurrent and later calls', async () => {
    const { maker, made } = slowMaker();
    const offered: number[] = [];
    const broker = new IndexBroker(maker, ({ meta }) => offered.push(meta.seq));
    made.head = 10;
    const opened = await Promise.all([broker.open(), broker.open()]);
    opened.push(await broker.open());
    expect(new Set(opened).size).toBe(1);
    made.head = 90;
    const built = await Promise.all([broker.build(80), broker.build(85), broker.build(5)]);
    expect(built.map(({ meta }) => meta.seq)).toEqual([90, 90, 10]);
    expect(built[0]).toBe(built[1]);
    expect(await broker.build(90)).toBe(built[0]);
    expect(made).toMatchObject({ opens: 1, builds: 1 });
    expect(offered).toEqual([90]);
  });

  it('builds again for a call that needs a newer index than the one being built', async () => {
    const { maker, made } = slowMaker();
    const broker = new IndexBroker(maker, () => {});
    const early = broker.build(0);
    made.head = 50;
    const late = await Promise.all([broker.build(40), broker.build(40)]);
    expect((await early).meta.seq).toBe(0);
    expect(late.map(({ meta }) => meta.seq)).toEqual([50, 50]);
    expect(made.builds).toBe(2);
  });

  it('offers the result of a merge, and returns it for later calls of `open`', async () => {
    const { maker } = slowMaker();
    const offered: SegmentColumns[] = [];
    const broker = new IndexBroker(maker, (columns) => offered.push(columns));
    await broker.open();
    const merged = await broker.merge(inputAt(7));
    expect(offered).toEqual([merged]);
    expect(await broker.open()).toBe(merged);
    await broker.merge({ ...inputAt(9), isWhole: false });
    expect(offered).toEqual([merged]);
    expect(await broker.open()).toBe(merged);
  });

  it('makes a segment of changes once for all calls that it has changes for', async () => {
    const { maker, made } = slowMaker();
    const broker = new IndexBroker(maker, () => {});
    made.head = 50;
    const calls = [10, 10, 30].map((after) => broker.changes(after));
    const [first, ...others] = await Promise.all(calls);
    for (const one of others) expect(one.columns).toBe(first!.columns);
    made.head = 90;
    const later = await Promise.all([50, 5, 60].map((after) => broker.changes(after)));
    expect(later.map(({ columns }) => columns.meta.seq)).toEqual([90, 90, 90]);
    expect(made.changes).toEqual([10, 50, 5]);
  });

  it('rejects all waiting calls after a failure, and tries again for the next call', async () => {
    let fails = true;
    const { maker } = slowMaker();
    const broker = new IndexBroker(
      { ...maker, open: () => (fails ? Promise.reject(new Error('full')) : maker.open()) },
      () => {},
    );
    const both = await Promise.allSettled([broker.open(), broker.open()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect((await broker.open()).meta.seq).toBe(0);
  });
});

describe('RemoteIndexMaker', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });
  const remote = (offer: Partial<WorkerStarter> = {}) => {
    const { port1, port2 } = new MessageChannel();
    closing.push(() => port1.close());
    new Calls(port2, offer);
    return new RemoteIndexMaker(new Calls<WorkerStarter>(port1, {}), silentLog);
  };

  it('resolves each call with its own response', async () => {
    const maker = remote({
      async build() {
        await sleep(20);
        throw new OperatorError('no room');
      },
      merge: async ({ seq }) => segment(seq),
    });
    const [one, two] = [maker.build(1), maker.merge(inputAt(2))];
    await expect(one).rejects.toThrow('no room');
    expect((await two).meta.seq).toBe(2);
  });

  it('passes on only the newest base, one at a time, and repeats a failed attempt', async () => {
    const maker = remote();
    const taken: number[] = [];
    let fails = true;
    maker.offer(segment(3));
    maker.offer(segment(9));
    maker.offer(segment(4));
    maker.onBase(async ({ meta }) => {
      if (fails) {
        fails = false;
        throw new Error('the database is away');
      }
      taken.push(meta.seq);
    });
    await vi.waitFor(() => expect(taken).toEqual([9]), { timeout: 10_000 });
    await maker.close();
    maker.offer(segment(20));
    await sleep(5);
    expect(taken).toEqual([9]);
  });

  it('rejects open and new calls after it is closed', async () => {
    const maker = remote({ open: () => new Promise(() => {}) });
    const waiting = maker.open();
    await maker.close();
    await expect(waiting).rejects.toThrow('stopping');
    await expect(maker.build(0)).rejects.toThrow('stopping');
  });
});
