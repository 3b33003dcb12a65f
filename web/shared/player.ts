import { effect, signal } from '@preact/signals';
import { type PlayedTrack, playTrack, type SharedItem } from '#client';
import {
  artistsOf,
  collection,
  fresh,
  isClosed,
  isPlayable,
  items,
  loadMore,
  state,
} from './collection.ts';

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
/** The text that says why the track cannot be heard; undefined while it can. */
export const failure = signal<'cannotPlay' | 'cannotPlayOffline' | undefined>(undefined);

let played: PlayedTrack | undefined;

/** Plays a track, from a part of it. @param share from 0 to 1 */
export async function start(trackId: string, share = 0): Promise<void> {
  const item = items.peek().find(({ track }) => track.id === trackId);
  if (item === undefined || !isPlayable(item)) return;
  played?.close();
  audio.pause();
  playing.value = trackId;
  failure.value = undefined;
  position.value = 0;
  // A preview clip is shorter, which the audio itself then says.
  duration.value = collection.peek()?.streams === 'full' ? item.track.durationSeconds : 0;
  showOnDevice(item);
  let isRetry = false;
  const signStreams = async () => {
    const { url, expiresAt } = await fresh(trackId, isRetry);
    isRetry = true;
    return { items: [{ streamUrl: url, streamUrlExpiresAt: expiresAt }] };
  };
  const fail = (error: unknown) => {
    // The browser wants a click first, or another track was started meanwhile.
    const isNone = error instanceof DOMException && /^(NotAllowed|Abort)Error$/.test(error.name);
    if (playing.peek() !== trackId || isNone || isClosed(error)) return;
    failure.value = error instanceof TypeError ? 'cannotPlayOffline' : 'cannotPlay';
  };
  played = playTrack({ signStreams }, audio, trackId, fail);
  await played.play().then(() => share > 0 && seek(share * duration.peek()), fail);
}

export function toggle(): void {
  if (playing.peek() === undefined) return;
  if (failure.peek() !== undefined) void start(playing.peek()!);
  else if (audio.paused) audio.play().catch(() => {});
  else audio.pause();
}

/** Plays the next track that can be heard, or the one before. Loads further tracks behind the last one. */
export async function skip(by: 1 | -1): Promise<void> {
  const from = playing.peek();
  let at = items.peek().findIndex(({ track }) => track.id === from);
  if (at < 0) return;
  for (;;) {
    at += by;
    const hasMore = items.peek().length < collection.peek()!.totalRecords;
    if (at === items.peek().length && hasMore) await loadMore().catch(() => {});
    const next = items.peek()[at];
    if (next === undefined || playing.peek() !== from) return;
    if (isPlayable(next)) return start(next.track.id);
  }
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
audio.addEventListener('ended', () => void skip(1));
audio.addEventListener('timeupdate', () => {
  position.value = audio.currentTime;
});
audio.addEventListener('durationchange', () => {
  if (Number.isFinite(audio.duration)) duration.value = audio.duration;
});
effect(() => {
  audio.muted = isMuted.value;
});
effect(() => {
  if (state.value !== 'shown') audio.pause();
});

/** The keys for media, and the lock screen of a phone. */
const DEVICE = navigator.mediaSession as MediaSession | undefined;
DEVICE?.setActionHandler('previoustrack', () => void skip(-1));
DEVICE?.setActionHandler('nexttrack', () => void skip(1));

function showOnDevice(item: SharedItem): void {
  if (DEVICE === undefined) return;
  const { name, artworkUrl } = item.track;
  DEVICE.metadata = new MediaMetadata({
    title: name,
    artist: artistsOf(item),
    artwork: [{ src: artworkUrl }],
  });
}
