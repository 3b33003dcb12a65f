import { effect, signal } from '@preact/signals';
import { type PlayedTrack, playTrack } from '#client';
import { collection, fresh, isPlayable, items } from './collection.ts';

/** The only audio element of the page. */
export const audio: HTMLAudioElement = document.createElement('audio');
audio.preload = 'auto';

/** The id of the track in the player. */
export const playing = signal<string | undefined>(undefined);
export const isHeard = signal(false);
/** In seconds. */
export const position = signal(0);
export const duration = signal(0);
export const isMuted = signal(false);
/** Why the track cannot be heard; '' while it can. */
export const failure = signal('');

let played: PlayedTrack | undefined;

/** Plays a track. */
export async function start(trackId: string): Promise<void> {
  const item = items.peek().find(({ track }) => track.id === trackId);
  if (item === undefined || !isPlayable(item)) return;
  played?.close();
  audio.pause();
  playing.value = trackId;
  failure.value = '';
  position.value = 0;
  // A preview clip is shorter, which the audio itself then says.
  duration.value = collection.peek()?.streams === 'full' ? item.track.durationSeconds : 0;
  const signStreams = async () => {
    const { url, expiresAt } = await fresh(trackId);
    return { items: [{ streamUrl: url, streamUrlExpiresAt: expiresAt }] };
  };
  const fail = (error: unknown) => {
    // The browser wants a click first, or another track was started meanwhile.
    const isNone = error instanceof DOMException && /^(NotAllowed|Abort)Error$/.test(error.name);
    if (playing.peek() === trackId && !isNone) failure.value = 'This track cannot be played now.';
  };
  played = playTrack({ signStreams }, audio, trackId, fail);
  await played.play().catch(fail);
}

export function toggle(): void {
  if (playing.peek() === undefined) return;
  if (failure.peek() !== '') void start(playing.peek()!);
  else if (audio.paused) audio.play().catch(() => {});
  else audio.pause();
}

/** Plays the next track that can be heard, or the one before. */
export function skip(by: 1 | -1): void {
  const list = items.peek();
  let at = list.findIndex(({ track }) => track.id === playing.peek());
  if (at < 0) return;
  do at += by;
  while (list[at] !== undefined && !isPlayable(list[at]!));
  if (list[at] !== undefined) void start(list[at]!.track.id);
}

/** Goes to a position in seconds. */
export function seek(seconds: number): void {
  if (playing.peek() === undefined || !audio.hasAttribute('src')) return;
  audio.currentTime = Math.max(0, Math.min(seconds, duration.peek()));
  position.value = audio.currentTime;
}

for (const type of ['play', 'pause', 'ended'] as const) {
  audio.addEventListener(type, () => {
    isHeard.value = !audio.paused;
  });
}
audio.addEventListener('ended', () => skip(1));
audio.addEventListener('timeupdate', () => {
  position.value = audio.currentTime;
});
audio.addEventListener('durationchange', () => {
  if (Number.isFinite(audio.duration)) duration.value = audio.duration;
});
effect(() => {
  audio.muted = isMuted.value;
});
