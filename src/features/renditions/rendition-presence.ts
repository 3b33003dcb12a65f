import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { decodableFormats } from '../../engines/audio/audio-format.ts';
import type { LocalAudio } from './local-audio.ts';
import type { RenditionClaimStore } from './store/rendition-claim-store.ts';

/** The time limit of `ffmpeg -version`. */
const VERSION_MS = 10_000;

export interface PresenceOptions {
  store: RenditionClaimStore;
  audio: LocalAudio;
  /** The unique name of the node. */
  node: string;
  /** The path of ffmpeg; undefined if the node works without it. */
  ffmpeg: string | undefined;
  /** Called for each failure that the audio did not cause. */
  onError: (error: unknown, what: string) => void;
}

/** Tells the other nodes that this one makes renditions, and what it decodes. */
export class RenditionPresence {
  readonly #options: PresenceOptions;
  #hasFfmpeg = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** What this node decodes. Valid after `begin`. */
  get formats(): string[] {
    return decodableFormats(this.#hasFfmpeg);
  }

  async begin(): Promise<void> {
    await this.#probeFfmpeg();
    await this.#beSeen();
  }

  /** Announces this node again at each interval, until the signal aborts. */
  async stay(renewMs: number, signal: AbortSignal): Promise<void> {
    while (await paused(renewMs, signal)) {
      if (!this.#hasFfmpeg) await this.#probeFfmpeg();
      await this.#beSeen();
    }
  }

  /** Works without ffmpeg until it can be executed again. */
  async loseFfmpeg(): Promise<void> {
    this.#hasFfmpeg = false;
    await this.#beSeen();
  }

  async end(): Promise<void> {
    const { store, node, onError } = this.#options;
    await store.leave(node).catch((error) => onError(error, 'ending the making of previews'));
  }

  async #beSeen(): Promise<void> {
    const { store, audio, node, onError } = this.#options;
    try {
      await store.see({ node, formats: this.formats });
      await audio.sweep();
    } catch (error) {
      onError(error, 'telling that this node makes previews');
    }
  }

  async #probeFfmpeg(): Promise<void> {
    const { ffmpeg } = this.#options;
    if (ffmpeg === undefined) return;
    this.#hasFfmpeg = await promisify(execFile)(ffmpeg, ['-version'], { timeout: VERSION_MS }).then(
      () => true,
      () => false,
    );
  }
}

/** Returns false if the signal aborts or has aborted. */
export async function paused(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

/** Waits for the event, at most for this time, or until the signal aborts. */
export async function pausedUntil(
  event: Promise<void>,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  await Promise.race([event, paused(ms, AbortSignal.any([signal, over.signal]))]);
  over.abort();
}
