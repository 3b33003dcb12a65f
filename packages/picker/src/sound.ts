import { type PlayedTrack, playTrack, type Track } from '#client';
import type { Session } from './session.ts';

/** What plays tracks, one at a time. `change` tells that what `current`, `isPaused` or `position` says has changed. */
export class Sound extends EventTarget {
  readonly #audio = new Audio();
  #played: PlayedTrack | undefined;
  #current: Track | undefined;

  constructor() {
    super();
    for (const type of ['play', 'pause', 'timeupdate', 'ended', 'durationchange']) {
      this.#audio.addEventListener(type, () => this.#changed());
    }
  }

  get current(): Track | undefined {
    return this.#current;
  }

  get isPaused(): boolean {
    return this.#audio.paused;
  }

  /** In seconds. */
  get position(): number {
    return this.#audio.currentTime;
  }

  set position(seconds: number) {
    this.#audio.currentTime = Math.max(0, Math.min(seconds, this.duration));
    this.#changed();
  }

  get duration(): number {
    const { duration } = this.#audio;
    return Number.isFinite(duration) ? duration : (this.#current?.durationSeconds ?? 0);
  }

  /** Plays a track from its start. Rejects as `play()` of an audio element does. */
  async start(track: Track, session: Session, onError: (error: unknown) => void): Promise<void> {
    this.stop();
    this.#current = track;
    let known = track;
    const signer = {
      signStreams: async (_: unknown, { signal }: { signal: AbortSignal }) => {
        known = await session.fresh(known, signal);
        return { items: [known] };
      },
    };
    this.#played = playTrack(signer, this.#audio, track.id, onError);
    this.#changed();
    await this.#played.play();
  }

  /** Pauses or continues. */
  toggle(): void {
    if (this.#audio.paused) this.#audio.play().catch(() => {});
    else this.#audio.pause();
  }

  stop(): void {
    this.#played?.close();
    this.#played = undefined;
    this.#current = undefined;
    this.#audio.pause();
    this.#audio.removeAttribute('src');
    this.#changed();
  }

  #changed(): void {
    this.dispatchEvent(new Event('change'));
  }
}
