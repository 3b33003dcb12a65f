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

export interface ProcessorOptions extends PresenceOptions {
  media: MediaStore;
  threads: number;
  times?: ProcessorTimes;
  onOutcome: (outcome: ProcessedOutcome, count: number) => void;
}

const INTERRUPTED = 'making it was interrupted';
const UNREADABLE = 'its audio cannot be read';

/** Claims jobs of the store and makes their renditions, one at a time in each of its threads. */
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
    const { store, onError } = this.#options;
    for (let faults = 0; !signal.aborted; ) {
      // Before the claim, so that no call of `wake` is missed.
      const wake = this.#wake.promise;
      try {
        const claim = await store.claim(holder, this.formats, this.#times.claimMs);
        if (claim !== undefined) await this.#process(claim, thread, signal, unread);
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

  /** Makes the renditions of a claim, and ends the claim. Rejects if a store fails. */
  async #process(
    claim: RenditionClaim,
    thread: RenditionThread,
    signal: AbortSignal,
    unread: Set<string> | undefined,
  ): Promise<void> {
    const { store, onOutcome } = this.#options;
    const count = claim.names.length;
    try {
      unread?.delete(claim.audioKey);
      if (await this.#make(claim, thread, signal)) onOutcome('made', count);
    } catch (error) {
      if (signal.aborted) {
        // If this fails, the claim expires.
        await store.release(claim).catch(() => {});
        return;
      }
      if (error instanceof RenditionProblem) {
        if (error.kind === 'interrupted') unread?.add(claim.audioKey);
        onOutcome(await this.#giveUp(claim, error), count);
        return;
      }
      try {
        if (error instanceof UnreadableAudio)
          return await this.#postponeUnreadable(claim, error, unread);
        await store.postpone(claim, INTERRUPTED, 0).catch(() => {});
        throw error;
      } finally {
        onOutcome('retried', count);
      }
    }
  }

  /** Ends the claim of audio that cannot be read. Rejects if the whole media store cannot be read. */
  async #postponeUnreadable(
    claim: RenditionClaim,
    { cause }: UnreadableAudio,
    unread: Set<string> | undefined,
  ): Promise<void> {
    const { store, media, onError } = this.#options;
    const isMissing = cause instanceof StaveError && cause.kind === 'not_found';
    const reason = isMissing ? 'its audio is missing from the media store' : UNREADABLE;
    unread?.add(claim.audioKey);
    if (await hasFiles(media)) {
      // `stave doctor` lists missing files.
      if (!isMissing) onError(cause, `reading ${claim.audioKey} for previews`);
      await this.#postpone(claim, reason);
      return;
    }
    await store.postpone(claim, reason, 0).catch(() => {});
    throw isMissing
      ? new OperatorError(`The media store ${media.place} has no files: mount it, or restore them.`)
      : cause;
  }

  /** Postpones a job for longer each time, so that it does not delay others. */
  #postpone(claim: RenditionClaim, reason: string): Promise<void> {
    const ms = this.#growing(claim.postponements, this.#times.longestJobPauseMs);
    return this.#options.store.postpone(claim, reason, ms);
  }

  #growing(count: number, longestMs: number): number {
    return Math.min(this.#times.pauseMs * 2 ** Math.min(count, 30), longestMs);
  }

  /** Returns false if another node has taken over the claim. */
  async #make(
    claim: RenditionClaim,
    thread: RenditionThread,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { store, media, audio } = this.#options;
    signal.throwIfAborted();
    const { claimMs, renewMs } = this.#times;
    await using uses = new AsyncDisposableStack();
    let touch = async () => {};
    const renewal = setInterval(() => {
      // A renewal that fails is repeated twice before the claim expires.
      void Promise.allSettled([store.renew(claim, claimMs), touch()]);
    }, renewMs).unref();
    uses.defer(() => clearInterval(renewal));
    const clip = claim.names.find(({ kind }) => kind === 'preview');
    const previewStartSeconds = clip && clip.variant !== '' ? Number(clip.variant) : undefined;
    const decode = async () => {
      const file = uses.use(await audio.open(claim.audioKey, signal));
      touch = () => file.touch();
      return thread.make({ path: file.path, previewStartSeconds });
    };
    const made = await decode().catch((error) => {
      // With copies, only errors of the media store concern the audio: the disk of the copies may be full.
      const isOfMedia = error instanceof StaveError || media.localPath !== undefined;
      if (error instanceof RenditionProblem || !isOfMedia) throw error;
      throw new UnreadableAudio('the audio cannot be read', { cause: error });
    });
    const files = await Promise.all(claim.names.map(({ kind }) => putRendition(media, kind, made)));
    return store.finish(claim, files);
  }

  /** Ends the claim of audio that this node cannot decode. */
  async #giveUp(claim: RenditionClaim, problem: RenditionProblem): Promise<ProcessedOutcome> {
    const { store } = this.#options;
    switch (problem.kind) {
      case 'format':
        // So that another node takes the job.
        await this.#presence.loseFfmpeg();
        await store.release(claim, FFMPEG);
        return 'retried';
      case 'interrupted':
        await this.#postpone(claim, problem.message);
        return 'retried';
      case 'thread':
        return this.#fail(claim, problem.message, true);
      case 'file':
        return this.#fail(claim, problem.message, false);
    }
  }

  async #fail(
    claim: RenditionClaim,
    reason: string,
    mayRepeat: boolean,
  ): Promise<ProcessedOutcome> {
    const isFinal = await this.#options.store.fail(claim, reason, mayRepeat);
    return isFinal ? 'failed' : 'retried';
  }
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
