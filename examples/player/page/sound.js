import { isEnding, renew, request, Unavailable } from './tracks.js';

/** The sound that plays: there is one at a time. */
let current;

/** Pauses what plays. */
export const pauseAll = () => current?.pause();

/**
 * Plays a URL of a track in an audio element. Sends the events `change`, and `problem` with a sentence.
 */
export class Sound extends EventTarget {
  audio = new Audio();
  /** Whether the visitor wants to hear it. It may still have to be made, or loaded. */
  isWanted = false;
  #track;
  #member;
  #failure = { seconds: -1, times: 0 };

  constructor(track, member) {
    super();
    this.#track = track;
    this.#member = member;
    // Without CORS, the browser hides an error of another origin, and repeats the request for a minute.
    this.audio.crossOrigin = 'anonymous';
    this.audio.preload = 'none';
    this.audio.addEventListener('error', () => this.#recover());
    this.audio.addEventListener('ended', () => this.pause());
    for (const type of ['timeupdate', 'playing', 'pause', 'waiting']) {
      this.audio.addEventListener(type, () => this.#changed());
    }
  }

  /** Whether it plays: false while it is loaded. */
  get isHeard() {
    return this.isWanted && !this.audio.paused && this.audio.readyState > 2;
  }

  async play(seconds = this.audio.currentTime) {
    if (current !== this) pauseAll();
    current = this;
    this.isWanted = true;
    this.#changed();
    await this.#begin(seconds);
  }

  pause() {
    this.isWanted = false;
    this.audio.pause();
    this.#changed();
  }

  /** Loads the beginning, so that the length is known. Throws Unavailable. */
  async load() {
    if (this.audio.readyState > 0) return;
    this.audio.preload = 'metadata';
    const loaded = new Promise((resolve, reject) => {
      this.audio.addEventListener('loadedmetadata', resolve, { once: true });
      this.addEventListener('problem', ({ detail }) => reject(new Unavailable(detail)), {
        once: true,
      });
    });
    this.#begin(this.audio.currentTime);
    await loaded;
  }

  #begin(seconds) {
    return this.#attempt(async () => {
      if (isEnding(this.#track)) await renew(this.#track);
      await this.#start(seconds);
    });
  }

  /** Goes to a position of the present URL, and plays from there if that is wanted. */
  async #start(seconds) {
    if (this.audio.src !== this.#track[this.#member]) this.audio.src = this.#track[this.#member];
    if (this.audio.currentTime !== seconds) this.audio.currentTime = seconds;
    // A failure to load is an event `error`, too.
    if (this.isWanted) await this.audio.play().catch(() => {});
  }

  /** An audio element does not tell why a URL failed: a request does, waits, and renews the URL. */
  async #recover() {
    const { currentTime } = this.audio;
    const isNew = Math.abs(currentTime - this.#failure.seconds) > 1;
    this.#failure = { seconds: currentTime, times: isNew ? 1 : this.#failure.times + 1 };
    await this.#attempt(async () => {
      if (this.#failure.times > 3) throw new Unavailable('Your browser cannot play this track.');
      // Not of the cache, which may have the part of the recording that was played.
      const fetchStart = (url) =>
        fetch(url, { headers: { range: 'bytes=0-0' }, cache: 'no-store' });
      const response = await request(this.#track, this.#member, fetchStart);
      await response.body?.cancel();
      this.audio.removeAttribute('src');
      await this.#start(currentTime);
    });
  }

  async #attempt(action) {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      this.pause();
      this.dispatchEvent(new CustomEvent('problem', { detail: error.message }));
    }
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}
