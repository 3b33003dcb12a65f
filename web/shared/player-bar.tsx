import { elapsed } from '../explorer/list/time.ts';
import { Icon } from '../explorer/shell/icon.tsx';
import { artistsOf, items } from './collection.ts';
import {
  duration,
  failure,
  isHeard,
  isMuted,
  playing,
  position,
  seek,
  skip,
  toggle,
} from './player.ts';
import { t } from './texts/texts.ts';
import { Wave } from './wave.tsx';

export function PlayerBar() {
  const item = items.value.find(({ track }) => track.id === playing.value);
  if (item === undefined) return null;
  return (
    <section class="player" aria-label={t('player')}>
      <div class="now">
        <img src={item.track.artworkUrl} alt="" width="52" height="52" />
        <div class="names">
          <span class="name" dir="auto">
            {item.track.name}
          </span>
          {failure.value === undefined ? (
            <span class="artists" dir="auto">
              {artistsOf(item)}
            </span>
          ) : (
            <span class="problem" role="alert">
              {t(failure.value)}
            </span>
          )}
        </div>
      </div>
      <div class="transport">
        <button
          type="button"
          class="bare"
          aria-label={t('previousTrack')}
          onClick={() => void skip(-1)}
        >
          <Icon name="previous" />
        </button>
        <button
          type="button"
          class="round"
          aria-label={t(isHeard.value ? 'pause' : 'play')}
          onClick={toggle}
        >
          <Icon name={isHeard.value ? 'pause' : 'play'} />
        </button>
        <button type="button" class="bare" aria-label={t('nextTrack')} onClick={() => void skip(1)}>
          <Icon name="next" />
        </button>
      </div>
      <Timeline item={item} />
      <button
        type="button"
        class="bare mute"
        aria-label={t('mute')}
        aria-pressed={isMuted.value}
        onClick={() => {
          isMuted.value = !isMuted.value;
        }}
      >
        <Icon name={isMuted.value ? 'muted' : 'volume'} />
      </button>
    </section>
  );
}

function Timeline({ item }: { item: (typeof items.value)[number] }) {
  const [now, end] = [position.value, Math.round(duration.value)];
  return (
    <div class="timeline">
      <span class="time">{elapsed(now)}</span>
      <div class="wave">
        <Wave key={item.track.id} item={item} isLine={item.track.streamUrl === undefined} />
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
