import { LITTLE_MEMORY, Thread } from '../../common/threads/thread.ts';
import {
  buildSegmentElsewhere,
  type ElsewhereBuilder,
  type SegmentOptions,
} from '../../engines/search/build/segment-builder.ts';
import { runStepsWithPauses } from '../../engines/search/build/steps.ts';
import type { CollectedTracks } from '../../engines/search/build/track-collector.ts';
import type { RowIdRange } from '../../engines/search/catalog-index.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import {
  LATER_BUILDERS,
  type LaterInput,
  type LaterName,
  type LaterSections,
  SECTION_BUILDERS,
  type SectionContext,
  type SectionName,
  type Sections,
} from '../../engines/search/segments/segment-sections.ts';
import type { StoreLocation } from '../../engines/sql/setting-store.ts';
import type { Store } from '../../features/store.ts';

export interface BuildThreadData {
  store: StoreLocation;
  /** The longest wait for the store. */
  waitMs: number;
}

export interface BuildThread {
  run(task: BuildTask): Promise<TaskResult>;
  close(): Promise<void>;
}

interface Pending {
  task: BuildTask;
  resolve: (result: TaskResult) => void;
  reject: (reason: unknown) => void;
}

type Started = Thread<BuildThread>;

export interface BuildThreadsOptions {
  /** The number of threads besides the present one. */
  count: number;
  /** Does a task in the present thread, with pauses. */
  runHere: (task: BuildTask) => Promise<TaskResult>;
  data: BuildThreadData;
}

/**
 * Threads that do the tasks of builds, each one task at a time. The present thread is one of them: it has loaded the
 * modules already, and would otherwise have nothing to do. After a failure, all tasks fail.
 */
export class BuildThreads {
  readonly #options: BuildThreadsOptions;
  readonly #threads: readonly Started[];
  readonly #idle: (Started | 'here')[];
  readonly #queue: Pending[] = [];
  readonly #busy = new Map<Started | 'here', Pending>();
  #failure: Error | undefined;

  constructor(options: BuildThreadsOptions) {
    this.#options = options;
    this.#threads = Array.from({ length: options.count }, () => this.#start());
    this.#idle = [...this.#threads, 'here'];
  }

  run<R extends TaskResult>(task: BuildTask): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<TaskResult>();
    this.#queue.push({ task, resolve, reject });
    this.#assign();
    return promise as Promise<R>;
  }

  /** Unfinished tasks fail. */
  async close(): Promise<void> {
    const isIdle = this.#busy.size === 0 && this.#failure === undefined;
    this.#fail(new Error('The build threads were ended'));
    await Promise.all(
      this.#threads.map(async (thread) => {
        if (isIdle) await thread.call('close').catch(() => {});
        await thread.terminate();
      }),
    );
  }

  #start(): Started {
    const thread: Started = new Thread(new URL('./build-thread.ts', import.meta.url), {
      workerData: this.#options.data,
      name: 'stave build',
      resourceLimits: LITTLE_MEMORY,
      moved: ownedBy,
    });
    void thread.ended.then((error) => this.#fail(error));
    return thread;
  }

  #assign(): void {
    if (this.#failure !== undefined) this.#fail(this.#failure);
    while (this.#idle.length > 0 && this.#queue.length > 0) {
      const thread = this.#idle.pop()!;
      const pending = this.#queue.shift()!;
      this.#busy.set(thread, pending);
      this.#do(thread, pending);
    }
  }

  /** Keeps nothing of the task, which a thread owns. */
  #do(thread: Started | 'here', { task }: Pending): void {
    const done = thread === 'here' ? this.#options.runHere(task) : thread.call('run', task);
    done.then(
      (result) => this.#noteResult(thread, result),
      (error: Error) => this.#fail(error),
    );
  }

  #noteResult(thread: Started | 'here', result: TaskResult): void {
    this.#busy.get(thread)?.resolve(result);
    this.#busy.delete(thread);
    this.#idle.push(thread);
    this.#assign();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of [...this.#busy.values(), ...this.#queue.splice(0)]) {
      reject(this.#failure);
    }
    this.#busy.clear();
  }
}

/** Returns the buffers that the task of a call owns, which move with the call. */
function ownedBy(args: unknown): ArrayBuffer[] {
  const [task] = (args ?? []) as [BuildTask?];
  return task?.kind === 'section' ? buffersOf(task.parts) : [];
}

export type BuildTask =
  | { kind: 'collect'; rows: RowIdRange }
  | {
      kind: 'section';
      name: SectionName;
      /** The task owns them, and frees their memory. */
      parts: readonly CollectedTracks[SectionName][];
      context: SectionContext;
    }
  | { kind: 'later'; name: LaterName; built: LaterInput; context: SectionContext };

export type TaskResult = CollectedTracks | Sections[SectionName] | LaterSections[LaterName];

export type Collect = (rows: RowIdRange) => Promise<CollectedTracks>;

/** Pauses, so that a thread may receive messages meanwhile. */
export async function runTask(task: BuildTask, collect: Collect): Promise<TaskResult> {
  switch (task.kind) {
    case 'collect':
      return collect(task.rows);
    case 'section': {
      const { name, parts, context } = task;
      const section = await runStepsWithPauses<Sections[SectionName]>(
        SECTION_BUILDERS[name](parts as never, context),
      );
      // Garbage collection would free them only much later.
      for (const buffer of buffersOf(parts)) buffer.transfer(0);
      return section;
    }
    case 'later':
      return runStepsWithPauses<LaterSections[LaterName]>(
        LATER_BUILDERS[task.name](task.built, task.context),
      );
  }
}

/** Returns the buffers of plain data that are not shared. Threads move them instead of copying them. */
export function buffersOf(data: unknown): ArrayBuffer[] {
  if (typeof data !== 'object' || data === null) return [];
  if (ArrayBuffer.isView(data)) return data.buffer instanceof ArrayBuffer ? [data.buffer] : [];
  return Object.values(data).flatMap(buffersOf);
}

/** The row ids that one task reads. This bounds the memory of a thread. */
const ROWS_A_PART = 65_536;

/** This many parts at the end are divided into smaller ones. */
const SMALL_FROM = 2;
const SMALL_PARTS = 4;

/** The most parts of a catalog besides the small ones. Row ids may have large gaps. */
const MAX_PARTS = 256;

/**
 * Builds a segment of all live tracks of the store in several threads: first they read ranges of tracks, then
 * they build the sections of the segment. The columns are those of buildFromStore.
 * @param store the store from which the position in the log and the greatest row id are read
 */
export async function buildInThreads(
  { catalog, changes }: Pick<Store, 'catalog' | 'changes'>,
  threads: BuildThreads,
  options?: SegmentOptions,
  rowsAPart = ROWS_A_PART,
): Promise<SegmentColumns> {
  // The head is read before the tracks: changes that are committed meanwhile are then applied again from the
  // log. Tracks that are created after the greatest row id is read are among them.
  const seq = await changes.head();
  const ranges = rangesUpTo(await catalog.lastRowId(), rowsAPart);
  const parts = await Promise.all(
    ranges.map((rows) => threads.run<CollectedTracks>({ kind: 'collect', rows })),
  );
  const builder: ElsewhereBuilder = {
    section: (name, members, context) =>
      threads.run({ kind: 'section', name, parts: members, context }),
    laterSection: (name, built, context) => threads.run({ kind: 'later', name, built, context }),
  };
  return buildSegmentElsewhere(parts, seq, builder, options);
}

/** The last ranges are smaller, so that no thread reads much longer than the others. */
function rangesUpTo(last: number, rowsAPart: number): RowIdRange[] {
  const size = Math.max(rowsAPart, Math.ceil(last / MAX_PARTS));
  const ranges: RowIdRange[] = [];
  let after = 0;
  do {
    const length = last - after > SMALL_FROM * size ? size : Math.ceil(size / SMALL_PARTS);
    ranges.push({ after, upTo: after + length });
    after += length;
  } while (after < last);
  return ranges;
}
