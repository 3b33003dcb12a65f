/**
 * A thread that does tasks of a build, one at a time, until it gets the message `end`. build-threads.ts starts
 * several of them.
 */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../common/clock.ts';
import { silentLog } from '../../common/log.ts';
import { serializeError } from '../../common/threads/serialized-error.ts';
import { WaitPolicy } from '../../common/work/wait-policy.ts';
import { collectTracks } from '../../engines/search/build/build-index.ts';
import type { CollectedTracks } from '../../engines/search/build/track-collector.ts';
import type { RowIdRange } from '../../engines/search/catalog-index.ts';
import { openStore } from '../open/open-store.ts';
import {
  type BuildNews,
  type BuildTask,
  type BuildThreadData,
  buffersOf,
  runTask,
  type TaskResult,
} from './build-threads.ts';

const DEPENDENCIES = { clock: systemClock, log: silentLog };

/** Does the tasks of one thread. */
class TaskRunner {
  readonly #data: BuildThreadData;
  readonly #waitPolicy: WaitPolicy;
  #store: ReturnType<typeof openStore> | undefined;

  constructor(data: BuildThreadData, tell: (news: BuildNews) => void) {
    this.#data = data;
    this.#waitPolicy = new WaitPolicy({
      ms: data.waitMs,
      onWait: (reason) => tell({ waitsFor: reason }),
      onContinue: (ms) => tell({ waitedMs: ms }),
    });
  }

  run(task: BuildTask): Promise<TaskResult> {
    return runTask(task, (rows) => this.#collect(rows));
  }

  async close(): Promise<void> {
    await (await this.#store)?.close();
  }

  async #collect(rows: RowIdRange): Promise<CollectedTracks> {
    const waitPolicy = this.#waitPolicy;
    this.#store ??= openStore(this.#data.store, { ...DEPENDENCIES, waitPolicy, isScan: true });
    return collectTracks((await this.#store).catalog, rows);
  }
}

if (!isMainThread) {
  const port = parentPort!;
  const tell = (news: BuildNews) => {
    port.postMessage(news, 'result' in news ? buffersOf(news.result) : []);
  };
  const runner = new TaskRunner(workerData as BuildThreadData, tell);
  port.on('message', (task: BuildTask | 'end') => {
    const done =
      task === 'end'
        ? runner.close().then(() => port.close())
        : runner.run(task).then((result) => tell({ result }));
    done.catch((error: unknown) => tell({ failure: serializeError(error) }));
  });
}
