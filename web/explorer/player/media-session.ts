import { effect } from '@preact/signals';
import { partName } from '../list/part.ts';
import { artistsOf } from '../list/track-row.tsx';
import { audio, playing, playState, seek, skip, toggle } from './player.ts';

/** Shows the track in the controls of the system, and obeys its keys. */
export function connectMediaSession(): void {
  const media = navigator.mediaSession;
  if (media === undefined) return;
  media.setActionHandler('play', toggle);
  media.setActionHandler('pause', toggle);
  media.setActionHandler('previoustrack', () => skip(-1));
  media.setActionHandler('nexttrack', () => skip(1));
  media.setActionHandler('seekto', ({ seekTime }) => seek(seekTime ?? 0));
  media.setActionHandler('seekbackward', ({ seekOffset }) =>
    seek(audio.currentTime - (seekOffset ?? 10)),
  );
  media.setActionHandler('seekforward', ({ seekOffset }) =>
    seek(audio.currentTime + (seekOffset ?? 10)),
  );
  effect(() => {
    const { track, part } = playing.value?.row ?? {};
    media.metadata =
      track === undefined
        ? null
        : new MediaMetadata({
            title: part === undefined ? track.name : `${track.name}, ${partName(part)}`,
            artist: artistsOf(track),
            artwork: [{ src: track.artworkUrl }],
          });
  });
  effect(() => {
    if (playing.value === undefined) media.playbackState = 'none';
    else media.playbackState = playState.value === 'playing' ? 'playing' : 'paused';
  });
}
