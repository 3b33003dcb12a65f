import { OperatorError, StaveError } from '../../common/errors.ts';
import { RenditionProblem } from '../../engines/audio/audio-block.ts';
import { FFMPEG } from '../../engines/audio/audio-format.ts';
import { hasFiles, type MediaStore } from '../../engines/blobs/media-store.ts';
import type { RenditionClaim } from './rendition.ts';
import { putRendition } from './rendition-files.ts';
import {
  type PresenceOptions,
  paused,
  pausedUntil,
  RenditionPresence,
} from './rendition-presence.ts';
import { RenditionThread } from './rendition-thread.ts';
import type { RenditionClaimStore } from './store/rendition-claim-store.ts';

/** Renditions that are `retried` are queued again. */
export type ProcessedOutcome = 'made' | 'failed' | 'retried';

/** In milliseconds. */
export interface ProcessorTimes {
  /** How long a claim lasts, and how often it and the presence of the node are renewed. */
  claimMs: number;
  renewMs: number;
  pollMs: number;
  /** The pause after the first failure of a store, which doubles after each further one, and its maximum. */
  pauseMs: number;
  longestPauseMs: number;
  /** The maximum for a job whose audio cannot be read while other audio can. */
  longestJobPauseMs: number;
}

export const PROCESSOR_TIMES: ProcessorTimes = {
  claimMs: 60_000,
  renewMs: 20_000,
  pollMs: 500,
  pauseMs: 1_000,
  longestPauseMs: 60_000,
  longestJobPauseMs: 60 * 60_000,
};

/** Jobs on audio that the threads of a node do. */
export interface AudioQueue {
  claims: RenditionClaimStore;
  /** Whether this node takes jobs now. Default: always. */
  isOn?: () => boolean;
  /** Whether its requested jobs are taken before all jobs of the queues before it. Default: no. */
  isUrgent?: boolean;
  /** Does a job on the audio at a path. Returns what stores the result, which is false if another node has the claim. */
  make(
    thread: RenditionThread,
    path: string,
    claim: RenditionClaim,
  ): Promise<() => Promise<boolean>>;
  onOutcome(outcome: ProcessedOutcome, count: number): void;
}

export interface ProcessorOptions extends PresenceOptions {
  media: MediaStore;
  threads: number;
  times?: ProcessorTimes;
  /** A job of a queue is taken only if those before it have none. */
  queues: readonly AudioQueue[];
}

/** The queue of waveforms and preview clips. */
export function renditionJobs({
  claims,
  media,
  ...rest
}: Omit<AudioQueue, 'make'> & { media: MediaStore }): AudioQueue {
  return {
    ...rest,
    claims,
    async make(thread, path, claim) {
      const clip = claim.names.find(({ kind }) => kind === 'preview');
      const previewStartSeconds = clip && clip.variant !== '' ? Number(clip.variant) : undefined;
      const made = await thread.make({ path, previewStartSeconds });
      return async () => {
        const files = await Promise.all(
          claim.names.map(({ kind }) => putRendition(media, kind, made)),
        );
        return claims.finish(claim, files);
      };
    },
  };
}

const INTERRUPTED = 'making it was interrupted';
const UNREADABLE = 'its audio cannot be read';

/** Claims jobs of the queues, and does one at a time in each of its threads. */
export class RenditionProcessor {
  readonly #options: ProcessorOptions;
  readonly #times: ProcessorTimes;
  readonly #presence: RenditionPresence;
  #wake = Promise.withResolvers<void>();

  constructor(options: ProcessorOptions) {
    this.#options = options;
    this.#times = options.times ?? PROCESSOR_TIMES;
    this.#presence = new RenditionPresence(options);
  }

  /** What this node decodes. Valid while it works. */
  get formats(): string[] {
    return this.#presence.formats;
  }

  /** Looks for jobs now. */
  wake(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  /** Makes queued renditions until the signal aborts. Then ends its claims, so that other nodes can make the rest. */
  run(signal: AbortSignal): Promise<void> {
    return this.#run(signal, { isForever: true, mostFaults: Number.POSITIVE_INFINITY });
  }

  /**
   * Makes queued renditions until nothing is left that this node can make. Returns the number of audio files that could
   * not be read to the end; their jobs stay queued. Rejects with the cause after `mostFaults` failures of a store in a
   * row.
   */
  async drain(signal: AbortSignal, mostFaults: number): Promise<number> {
    const unread = new Set<string>();
    await this.#run(signal, { isForever: false, mostFaults, unread });
    return unread.size;
  }

  async #run(signal: AbortSignal, mode: Mode): Promise<void> {
    const { node, threads } = this.#options;
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const open: RenditionThread[] = [];
    await this.#presence.begin();
    const presence = this.#presence.stay(this.#times.renewMs, either);
    const works = Array.from({ length: threads }, (_, i) => {
      const thread = new RenditionThread({ ffmpeg: this.#options.ffmpeg });
      open.push(thread);
      return this.#work(`${node} ${i}`, thread, either, mode);
    });
    // A thread in the middle of a file ends only if it is closed.
    either.addEventListener('abort', () => void closeAll(open));
    try {
      await Promise.all(works);
    } finally {
      ended.abort();
      await Promise.allSettled(works);
      await closeAll(open);
      await presence;
      await this.#presence.end();
    }
  }

  async #work(
    holder: string,
    thread: RenditionThread,
    signal: AbortSignal,
    { isForever, mostFaults, unread }: Mode,
  ): Promise<void> {
    const { onError } = this.#options;
    for (let faults = 0; !signal.aborted; ) {
      // Before the claim, so that no call of `wake` is missed.
      const wake = this.#wake.promise;
      try {
        const job = await this.#claim(holder);
        if (job !== undefined) await this.#process(job, thread, signal, unread);
        else if (isForever) await pausedUntil(wake, this.#times.pollMs, signal);
        else return;
        faults = 0;
      } catch (error) {
        if (signal.aborted) return;
        onError(error, 'making previews');
        faults++;
        if (faults >= mostFaults) throw error;
        const { pauseMs, longestPauseMs } = this.#times;
        // A request may end only the second pause, so it cannot increase the load of a failing store.
        await paused(pauseMs, signal);
        await pausedUntil(wake, this.#growing(faults - 1, longestPauseMs) - pauseMs, signal);
      }
    }
  }

  async #claim(holder: string): Promise<Job | undefined> {
    const { queues } = this.#options;
    const turns = [
      ...queues.filter(({ isUrgent }) => isUrgent).map((queue) => ({ queue, onlyRequested: true })),
      ...queues.map((queue) => ({ queue, onlyRequested: false })),
    ];
    for (const { queue, onlyRequested } of turns) {
      if (queue.isOn?.() === false) continue;
      const { claimMs } = this.#times;
      const claim = await queue.claims.claim(holder, this.formats, claimMs, onlyRequested);
      if (claim !== undefined) return { queue, claim };
    }
    return undefined;
  }

  /** Does the job of a claim, and ends the claim. Rejects if a store fails. */
  async #process(
    { queue, claim }: Job,
    thread: RenditionThread,
    signal: AbortSignal,
    unread: Set<string> | undefined,
  ): Promise<void> {
    const { claims } = queue;
    const onOutcome = (outcome: ProcessedOutcome) => queue.onOutcome(outcome, claim.names.length);
    try {
      unread?.delete(claim.audioKey);
      if (await this.#make({ queue, claim }, thread, signal)) onOutcome('made');
    } catch (error) {
      if (signal.aborted) {
        // If this fails, the claim expires.
        await claims.release(claim).catch(() => {});
        return;
      }
      if (error instanceof RenditionProblem) {
        if (error.kind === 'interrupted') unread?.add(claim.audioKey);
        onOutcome(await this.#giveUp({ queue, claim }, error));
        return;
      }
      try {
        if (error instanceof UnreadableAudio)
          return await this.#postponeUnreadable({ queue, claim }, error, unread);
        await claims.postpone(claim, INTERRUPTED, 0).catch(() => {});
        throw error;
      } finally {
        onOutcome('retried');
      }
    }
  }

  /** Ends the claim of audio that cannot be read. Rejects if the whole media store cannot be read. */
  async #postponeUnreadable(
    { queue, claim }: Job,
    { cause }: UnreadableAudio,
    unread: Set<string> | undefined,
  ): Promise<void> {
    const { media, onError } = this.#options;
    const isMissing = cause instanceof StaveError && cause.kind === 'not_found';
    const reason = isMissing ? 'its audio is missing from the media store' : UNREADABLE;
    unread?.add(claim.audioKey);
    if (await hasFiles(media)) {
      // `stave doctor` lists missing files.
      if (!isMissing) onError(cause, `reading ${claim.audioKey} for previews`);
      await this.#postpone({ queue, claim }, reason);
      return;
    }
    await queue.claims.postpone(claim, reason, 0).catch(() => {});
    throw isMissing
      ? new OperatorError(`The media store ${media.place} has no files: mount it, or restore them.`)
      : cause;
  }

  /** Postpones a job for longer each time, so that it does not delay others. */
  #postpone({ queue, claim }: Job, reason: string): Promise<void> {
    const ms = this.#growing(claim.postponements, this.#times.longestJobPauseMs);
    return queue.claims.postpone(claim, reason, ms);
  }

  #growing(count: number, longestMs: number): number {
    return Math.min(this.#times.pauseMs * 2 ** Math.min(count, 30), longestMs);
  }

  /** Returns false if another node has taken over the claim. */
  async #make(
    { queue, claim }: Job,
    thread: RenditionThread,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { media, audio } = this.#options;
    signal.throwIfAborted();
    const { claimMs, renewMs } = this.#times;
    await using uses = new AsyncDisposableStack();
    let touch = async () => {};
    const renewal = setInterval(() => {
      // A renewal that fails is repeated twice before the claim expires.
      void Promise.allSettled([queue.claims.renew(claim, claimMs), touch()]);
    }, renewMs).unref();
    uses.defer(() => clearInterval(renewal));
    const decode = async () => {
      const file = uses.use(await audio.open(claim.audioKey, signal));
      touch = () => file.touch();
      return queue.make(thread, file.path, claim);
    };
    const store = await decode().catch((error) => {
      // With copies, only errors of the media store concern the audio: the disk of the copies may be full.
      const isOfMedia = error instanceof StaveError || media.localPath !== undefined;
      if (error instanceof RenditionProblem || !isOfMedia) throw error;
      throw new UnreadableAudio('the audio cannot be read', { cause: error });
    });
    return store();
  }

  /** Ends the claim of audio that this node cannot decode. */
  async #giveUp(job: Job, problem: RenditionProblem): Promise<ProcessedOutcome> {
    switch (problem.kind) {
      case 'format':
        // So that another node takes the job.
        await this.#presence.loseFfmpeg();
        await job.queue.claims.release(job.claim, FFMPEG);
        return 'retried';
      case 'interrupted':
        await this.#postpone(job, problem.message);
        return 'retried';
      case 'thread':
        return this.#fail(job, problem.message, true);
      case 'file':
      case 'silent':
        return this.#fail(job, problem.message, false);
    }
  }

  async #fail(
    { queue, claim }: Job,
    reason: string,
    mayRepeat: boolean,
  ): Promise<ProcessedOutcome> {
    const isFinal = await queue.claims.fail(claim, reason, mayRepeat);
    return isFinal ? 'failed' : 'retried';
  }
}

interface Job {
  queue: AudioQueue;
  claim: RenditionClaim;
}

interface Mode {
  isForever: boolean;
  mostFaults: number;
  /** The keys of audio that could not be read to the end, and not later either. */
  unread?: Set<string>;
}

/** The audio of a job cannot be read now. The cause may be the file, or the whole media store. */
class UnreadableAudio extends Error {}

async function closeAll(threads: readonly RenditionThread[]): Promise<void> {
  await Promise.all(threads.map((thread) => thread.close()));
}
