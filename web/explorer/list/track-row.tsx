import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Track } from '#client';
import { onlyFilter } from '../browse/choices.ts';
import { refine, withTrack } from '../browse/location.ts';
import { isInCart } from '../buying/cart.ts';
import { isHeard, isPlayable, isPlayingTrack, start, toggle } from '../player/player.ts';
import { RowWaveform } from '../player/row-waveform.tsx';
import { Icon } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import { may } from '../shell/session.ts';
import { t } from '../texts/texts.ts';
import { addTrack } from '../track/adding.ts';
import { cursor } from './shown-list.ts';
import type { Row } from './source.ts';
import { clock } from './time.ts';
import type { TrackPages } from './track-pages.ts';

interface RowProps {
  pages: TrackPages;
  index: number;
  /** Undefined while it is loaded. */
  row: Row | undefined;
  /** Pixels from the top of the list. */
  top: number;
  isCurrent: boolean;
}

export function TrackRow({ pages, index, row, top, isCurrent }: RowProps) {
  const style = { transform: `translateY(${top}px)` };
  const common = {
    'aria-rowindex': index + 1,
    'data-index': index,
    tabIndex: isCurrent ? 0 : -1,
    style,
  } as const;
  if (row === undefined) {
    return (
      <div {...common} role="row" class="track loading">
        <span role="gridcell">
          <span class="hidden">{t('loading')}</span>
        </span>
      </div>
    );
  }
  const { track, note } = row;
  const isPlaying = isPlayingTrack(track);
  return (
    <div
      {...common}
      role="row"
      class={`track${isPlaying ? ' playing' : ''}${isPlayable(row) ? '' : ' silent'}`}
      aria-label={`${track.name}, ${artistsOf(track)}`}
      aria-current={isPlaying}
      onFocusIn={() => {
        cursor.value = index;
      }}
      onDblClick={() => start(pages, index)}
    >
      <span role="gridcell" class="lead">
        {isPlayable(row) ? (
          <PlayButton pages={pages} index={index} track={track} isTabbable={isCurrent} />
        ) : (
          <span class="cover silent" title={t('noRecording')}>
            <Artwork url={track.artworkUrl} />
            <span class="hidden">{t('noAudio')}</span>
          </span>
        )}
      </span>
      <span role="gridcell" class="names">
        <Link
          view={withTrack(track.slug)}
          class="name"
          lang={track.language}
          dir="auto"
          tabIndex={isCurrent ? 0 : -1}
        >
          {track.name}
        </Link>
        <span class="artists" dir="auto">
          {!note ? artistsOf(track) : `${note} · ${artistsOf(track)}`}
        </span>
      </span>
      <span role="gridcell" class="outline" aria-hidden="true">
        {isPlayable(row) ? <RowWaveform key={track.id} track={track} /> : t('noAudio')}
      </span>
      <span role="gridcell" class="filters">
        {track.filters.slice(0, 4).map(({ slug, name }) => (
          <button
            type="button"
            class="tag"
            key={slug}
            tabIndex={isCurrent ? 0 : -1}
            title={t('onlyName', { name })}
            onClick={() => refine(onlyFilter(slug))}
          >
            {name}
          </button>
        ))}
      </span>
      <span role="gridcell" class="key">
        {track.songKey[0] ?? ''}
      </span>
      <span role="gridcell" class="bpm">
        {track.bpm === '' ? (
          ''
        ) : (
          <>
            {Math.round(Number(track.bpm))}
            <span class="unit"> BPM</span>
          </>
        )}
      </span>
      <span role="gridcell" class="length">
        {clock(track.durationSeconds)}
      </span>
      <span role="gridcell" class="save">
        {(may('saved-searches') || may('licensing')) && (
          <button
            type="button"
            class="bare"
            tabIndex={isCurrent ? 0 : -1}
            aria-label={t('saveTrack', { name: track.name })}
            onClick={() => addTrack(track)}
          >
            <Icon name={isInCart(track.slug) ? 'cart' : 'add'} />
          </button>
        )}
      </span>
    </div>
  );
}

function PlayButton({
  pages,
  index,
  track,
  isTabbable,
}: {
  pages: TrackPages;
  index: number;
  track: Track;
  isTabbable: boolean;
}) {
  const isThis = isPlayingTrack(track);
  const isThisHeard = isThis && isHeard.value;
  return (
    <button
      type="button"
      class="cover"
      tabIndex={isTabbable ? 0 : -1}
      aria-label={t(isThisHeard ? 'pauseName' : 'playName', { name: track.name })}
      onClick={() => (isThis ? toggle() : start(pages, index))}
    >
      <Artwork url={track.artworkUrl} />
      <Icon name={isThisHeard ? 'pause' : 'play'} />
    </button>
  );
}

/** A picture whose request ends with the row, so that a list that scrolls fast asks for no pictures of rows that are gone. */
function Artwork({ url }: { url: string }) {
  const image = useRef<HTMLImageElement>(null);
  useLayoutEffect(() => {
    const present = image.current;
    // Browsers keep an element and all around it for as long as its picture is on its way.
    return () => present?.removeAttribute('src');
  }, []);
  return <img ref={image} src={url} alt="" width="40" height="40" decoding="async" />;
}

/** The credited artists that listeners know, or the first ones. */
export function artistsOf({ artists }: Track): string {
  const main = artists.filter(({ role }) => role === 'MAIN_ARTIST' || role === 'FEATURED_ARTIST');
  const names = (main.length > 0 ? main : artists.slice(0, 2)).map(({ name }) => name);
  return [...new Set(names)].join(', ') || t('unknownArtist');
}
