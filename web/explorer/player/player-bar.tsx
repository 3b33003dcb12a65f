import { withTrack } from '../browse/location.ts';
import { partName } from '../list/part.ts';
import { elapsed } from '../list/time.ts';
import { artistsOf } from '../list/track-row.tsx';
import { explain } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import { t } from '../texts/texts.ts';
import {
  duration,
  isHeard,
  isMuted,
  playFailure,
  playing,
  playState,
  position,
  seek,
  skip,
  toggle,
  volume,
} from './player.ts';
import { Waveform } from './waveform.tsx';

/** The player below everything else. It stays while the list above it changes. */
export function PlayerBar() {
  const current = playing.value;
  if (current === undefined) return null;
  const { track, part } = current.row;
  const artists = artistsOf(track);
  return (
    <section class="player" aria-label={t('player')}>
      <div class="now">
        <img src={track.artworkUrl} alt="" width="48" height="48" />
        <div class="names">
          <Link view={withTrack(track.slug)} class="name" dir="auto">
            {track.name}
          </Link>
          <span class="artists" dir="auto">
            {playState.value === 'failed' && <PlayFailure />}
            {playState.value !== 'failed' && (part ? `${partName(part)} · ${artists}` : artists)}
          </span>
        </div>
      </div>
      <div class="transport">
        <button type="button" class="bare" aria-label={t('previousTrack')} onClick={() => skip(-1)}>
          <Icon name="previous" />
        </button>
        <PlayPause />
        <button type="button" class="bare" aria-label={t('nextTrack')} onClick={() => skip(1)}>
          <Icon name="next" />
        </button>
      </div>
      <Timeline />
      <Volume />
    </section>
  );
}

function PlayFailure() {
  const { message, requestId } = explain(playFailure.value);
  return (
    <span class="problem" role="alert">
      {message}
      {requestId !== null && ` ${t('requestId')} ${requestId}.`}
    </span>
  );
}

function PlayPause() {
  return (
    <button
      type="button"
      class={`round ${playState.value}`}
      aria-label={t(isHeard.value ? 'pause' : 'play')}
      data-state={playState.value}
      onClick={toggle}
    >
      <Icon name={isHeard.value ? 'pause' : 'play'} />
    </button>
  );
}

function Timeline() {
  // Rounded as in the lists.
  const [now, end] = [position.value, Math.round(duration.value)];
  return (
    <div class="timeline" dir="ltr">
      <span class="time">{elapsed(now)}</span>
      <div class="wave">
        <Waveform />
        <input
          type="range"
          aria-label={t('position')}
          aria-valuetext={t('positionOf', { now: elapsed(now), end: elapsed(end) })}
          min="0"
          max={Math.max(1, end)}
          step="1"
          value={Math.round(now)}
          onInput={(event) => seek(Number(event.currentTarget.value))}
        />
      </div>
      <span class="time">{elapsed(end)}</span>
    </div>
  );
}

function Volume() {
  return (
    <div class="volume">
      <button
        type="button"
        class="bare"
        aria-label={t('keyMute')}
        aria-pressed={isMuted.value}
        onClick={() => {
          isMuted.value = !isMuted.value;
        }}
      >
        <Icon name={isMuted.value ? 'muted' : 'volume'} />
      </button>
      <input
        type="range"
        aria-label={t('volume')}
        min="0"
        max="1"
        step="0.05"
        value={volume.value}
        onInput={(event) => {
          volume.value = Number(event.currentTarget.value);
        }}
      />
    </div>
  );
}
