import { computed, effect, signal } from '@preact/signals';
import { type PlayedTrack, playTrack, type Track } from '#client';
import type { Row } from '../list/source.ts';
import type { TrackPages } from '../list/track-pages.ts';
import { session } from '../shell/session.ts';
import { t } from '../texts/texts.ts';
import { signerOf } from './signed-part.ts';

/** The only audio element of the page. */
export const audio: HTMLAudioElement = document.createElement('audio');
audio.preload = 'auto';

/** A track in the player, with the list that it was started from. */
export interface Playing {
  row: Row;
  pages: TrackPages;
  index: number;
}

export const playing = signal<Playing | undefined>(undefined);
export const playState = signal<'loading' | 'playing' | 'paused' | 'failed'>('paused');
/** In seconds. */
export const position = signal(0);
export const duration = signal(0);
export const volume = signal(1);
export const isMuted = signal(false);
/** Why the track cannot be heard. */
export const playFailure = signal<unknown>(undefined);

/** Whether this track is in the player, as a whole. */
export function isPlayingTrack({ id }: Track): boolean {
  const { track, part } = playing.value?.row ?? {};
  return track?.id === id && part === undefined;
}

/** Whether the present track is heard, or is about to be. */
export const isHeard = computed(
  () => playState.value === 'playing' || playState.value === 'loading',
);

let played: PlayedTrack | undefined;

/** The most tracks without audio that are passed, so that few pages are loaded. */
const MAX_PASSED = 200;

/** Whether there is something to hear. */
export function isPlayable({ track, part }: Row): boolean {
  return track.hasAudio || part !== undefined;
}

/** Plays the track at a place of a list. */
export async function start(pages: TrackPages, index: number): Promise<void> {
  const row = await pages.get(index);
  const current = session.peek();
  if (row === undefined || current === undefined) return;
  release();
  const next = { row, pages, index };
  playing.value = next;
  playFailure.value = undefined;
  if (!isPlayable(row)) {
    fail(next, new Error(t('noRecording')));
    return;
  }
  playState.value = 'loading';
  duration.value = (row.part ?? row.track).durationSeconds;
  played = playTrack(signerOf(row, current.stave), audio, row.track.id, (error) =>
    fail(next, error),
  );
  try {
    await played.play();
  } catch (error) {
    // A refused play() of an element whose URL is being replaced is no failure: the library tries again.
    if (!(error instanceof DOMException && error.name === 'AbortError')) fail(next, error);
  }
}

function fail(failed: Playing, error: unknown): void {
  if (playing.peek() !== failed) return;
  // The browser wants a click first; the play button is that click.
  const isBlocked = error instanceof DOMException && error.name === 'NotAllowedError';
  playState.value = isBlocked ? 'paused' : 'failed';
  if (!isBlocked) playFailure.value = error instanceof MediaError ? unplayable() : error;
}

function unplayable(): Error {
  return new Error(t('unplayable'));
}

/** Lets go of the present track, so that the next one begins at its start. */
function release(): void {
  played?.close();
  played = undefined;
  audio.pause();
  audio.removeAttribute('src');
  audio.load();
  position.value = 0;
}

export function toggle(): void {
  const current = playing.peek();
  if (current === undefined) return;
  if (playState.peek() === 'failed') void start(current.pages, current.index);
  else if (audio.paused) audio.play().catch(() => {});
  else audio.pause();
}

/** Plays the track `by` places further in its list, if there is one. Those without audio are passed. */
export function skip(by: 1 | -1): void {
  const current = playing.peek();
  if (current === undefined) return;
  if (by < 0 && audio.currentTime > 3) seek(0);
  else void startFrom(current, by);
}

/** Plays a list from its first track that can be heard. */
export async function playAll(pages: TrackPages): Promise<void> {
  for (let index = 0; index < MAX_PASSED; index++) {
    const row = await pages.get(index);
    if (row === undefined) return;
    if (isPlayable(row)) return start(pages, index);
  }
}

async function startFrom(current: Playing, by: 1 | -1): Promise<void> {
  const { pages } = current;
  for (let passed = 1; passed <= MAX_PASSED; passed++) {
    const index = current.index + by * passed;
    const row = await pages.get(index);
    if (row === undefined || playing.peek() !== current) return;
    if (isPlayable(row)) return start(pages, index);
  }
}

/** Goes to a position in seconds. */
export function seek(seconds: number): void {
  if (playing.peek() === undefined || !audio.hasAttribute('src')) return;
  audio.currentTime = Math.max(0, Math.min(seconds, duration.peek()));
  position.value = audio.currentTime;
}

audio.addEventListener('play', () => {
  playState.value = audio.readyState > 2 ? 'playing' : 'loading';
});
audio.addEventListener('playing', () => {
  playState.value = 'playing';
});
audio.addEventListener('waiting', () => {
  if (!audio.paused) playState.value = 'loading';
});
audio.addEventListener('pause', () => {
  // An error pauses, too, and the library then gets a new URL.
  if (!audio.error && playState.peek() !== 'failed') playState.value = 'paused';
});
audio.addEventListener('timeupdate', () => {
  position.value = audio.currentTime;
});
audio.addEventListener('durationchange', () => {
  if (Number.isFinite(audio.duration)) duration.value = audio.duration;
});
audio.addEventListener('ended', () => skip(1));

effect(() => {
  audio.volume = volume.value;
  audio.muted = isMuted.value;
});
effect(() => {
  if (session.value !== undefined) return;
  release();
  playing.value = undefined;
});
