import type { SignedStream } from './generated/types.ts';

/** How long before its end a URL is replaced, so that the player has time to use it. */
const MARGIN_MS = 30_000;
/** Errors in a row without any playing between them, after which the player gives up. */
const MAX_ERRORS = 3;

/** The part of an `<audio>` or `<video>` element that the library uses. */
export interface MediaElement {
  src: string;
  currentTime: number;
  readonly error: unknown;
  play(): Promise<void>;
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
}

/**
 * What gets the signed URL of a track: a StaveClient, or, in a public page, a function that asks your own server. One that
 * returns the URL of a stem in the same form plays stems.
 */
export interface StreamSigner {
  signStreams(
    input: { trackIds: string[] },
    options: { signal: AbortSignal },
  ): PromiseLike<{ items: readonly Pick<SignedStream, 'streamUrl' | 'streamUrlExpiresAt'>[] }>;
}

/** A track in a media element. */
export interface PlayedTrack {
  /**
   * Gets the first URL, and plays from the start. Rejects as `play()` of the element, for example if the page may not
   * play yet. Does nothing after `close()`.
   */
  play(): Promise<void>;
  /** Lets go of the element, also while `play()` waits for a URL. */
  close(): void;
}

/**
 * Plays a track in an `<audio>` element for as long as the page is open. Signed URLs expire after half an hour: whoever
 * pauses longer, or seeks afterwards, gets a new one at the same position. Errors that a new URL does not cure go to
 * `onError`.
 */
export function playTrack(
  signer: StreamSigner,
  audio: MediaElement,
  trackId: string,
  onError: (error: unknown) => void = () => {},
): PlayedTrack {
  const closing = new AbortController();
  const { signal } = closing;
  let expiresAt = 0;
  let errors = 0;
  let isLoaded = false;
  let isWanted = false;
  let pending: Promise<void> | undefined;

  const load = async () => {
    const { items } = await signer.signStreams({ trackIds: [trackId] }, { signal });
    const stream = items[0];
    if (stream === undefined) throw new Error(`there is no track ${trackId}`);
    if (signal.aborted) return;
    // The element may have played another track before.
    const position = isLoaded ? audio.currentTime : 0;
    isLoaded = true;
    expiresAt = Date.parse(stream.streamUrlExpiresAt);
    // If the clock of the page is ahead, every URL seems to have expired: then an error shows that one has.
    if (isExpired()) expiresAt = Number.POSITIVE_INFINITY;
    audio.src = stream.streamUrl;
    if (position > 0) audio.currentTime = position;
  };
  const renew = () => {
    pending ??= load()
      .catch((error) => {
        if (!signal.aborted) throw error;
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };
  const reload = async () => {
    await renew();
    if (isWanted && !signal.aborted) await audio.play();
  };
  const isExpired = () => Date.now() > expiresAt - MARGIN_MS;
  const reloadExpired = () => {
    if (isExpired()) reload().catch(onError);
  };
  const listeners = {
    seeking: reloadExpired,
    play() {
      isWanted = true;
      reloadExpired();
    },
    pause() {
      // A browser also pauses after an error.
      if (!audio.error) isWanted = false;
    },
    playing() {
      errors = 0;
    },
    error() {
      if (++errors > MAX_ERRORS) onError(audio.error);
      else reload().catch(onError);
    },
  };
  return {
    async play() {
      if (signal.aborted) return;
      for (const [type, listener] of Object.entries(listeners))
        audio.addEventListener(type, listener);
      await renew();
      if (!signal.aborted) await audio.play();
    },
    close() {
      closing.abort();
      for (const [type, listener] of Object.entries(listeners)) {
        audio.removeEventListener(type, listener);
      }
    },
  };
}
