import type { Track } from '#client';
import { keyLabel } from '../browse/camelot.ts';
import { onlyFilter } from '../browse/choices.ts';
import { VOCALS_NAMES } from '../browse/kinds.ts';
import { go, refine, viewOf, withTrack } from '../browse/location.ts';
import { isInCart, toggleInCart } from '../buying/cart.ts';
import { QuoteForm } from '../buying/lazy.ts';
import { visible } from '../list/shown-list.ts';
import { clock } from '../list/time.ts';
import { TrackPages } from '../list/track-pages.ts';
import { artistsOf } from '../list/track-row.tsx';
import { isHeard, isPlayingTrack, start, toggle } from '../player/player.ts';
import { Failure } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import { Panel } from '../shell/panel.tsx';
import { may } from '../shell/session.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { day, t } from '../texts/texts.ts';
import { AddToCollection } from './add-to-collection.tsx';
import { addTrack } from './adding.ts';
import { aiText, audioText, streamText } from './audio-text.ts';
import { Parts } from './track-parts.tsx';

/** All that is known of a track, and what can be done with it. */
export function TrackPanel({ slug }: { slug: string }) {
  const { data, failure, reload } = useLoaded(`track ${slug}`, (stave, signal) =>
    stave.showTrack({ slug }, { signal }).then(),
  );
  const track = data ?? visible.value?.find(slug);
  const close = () => go(withTrack(undefined));
  return (
    <Panel title={track?.name ?? t('track')} close={close}>
      {failure !== undefined && <Failure error={failure} retry={reload} />}
      {track && (
        <>
          <Head track={track} />
          {may('licensing') && <QuoteForm key={track.slug} tracks={[track]} />}
          {may('stems') && <Parts track={track} />}
          {may('saved-searches') && <AddToCollection slug={track.slug} />}
          <Facts track={track} />
        </>
      )}
    </Panel>
  );
}

function Head({ track }: { track: Track }) {
  const isThis = isPlayingTrack(track);
  const isThisHeard = isThis && isHeard.value;
  return (
    <div class="track-head">
      <img src={track.artworkUrl} alt="" width="360" height="225" />
      <div>
        <p class="artists">{artistsOf(track)}</p>
        <div class="actions">
          <button
            type="button"
            class="primary"
            disabled={!track.hasAudio}
            onClick={() => (isThis ? toggle() : play(track))}
          >
            <Icon name={isThisHeard ? 'pause' : 'play'} /> {t(isThisHeard ? 'pause' : 'play')}
          </button>
          {may('similar') && (
            <>
              <Link view={viewOf({ list: 'similar', of: track.slug })} class="button">
                <Icon name="similar" /> {t('similar')}
              </Link>
              <Link view={viewOf({ list: 'similar', of: track.slug, by: 'sound' })} class="button">
                <Icon name="sound" /> {t('soundsLike')}
              </Link>
            </>
          )}
          {may('licensing') && (
            <button
              type="button"
              aria-pressed={isInCart(track.slug)}
              onClick={() => toggleInCart(track)}
            >
              <Icon name="cart" /> {t(isInCart(track.slug) ? 'inCart' : 'addToCart')}
            </button>
          )}
          {(may('saved-searches') || may('licensing')) && (
            <button type="button" onClick={() => addTrack(track)}>
              <Icon name="add" /> {t('addTo')}
            </button>
          )}
        </div>
        {!track.hasAudio && <p class="meta">{t('noRecording')}</p>}
      </div>
    </div>
  );
}

/** Plays the track in its list if it is there, so that the next one follows; otherwise alone. */
function play(track: Track): void {
  const index = visible.value?.indexOf(track.slug) ?? -1;
  if (visible.value !== undefined && index >= 0) void start(visible.value, index);
  else {
    const rows = [{ track }];
    const call = { operation: 'showTrack', method: 'GET', path: '', input: {} } as const;
    void start(new TrackPages({ call, load: async () => ({ total: 1, rows }) }), 0);
  }
}

function trainingText({ provenance: { trainingAllowed } }: Track): string {
  return trainingAllowed === null ? '' : t(trainingAllowed ? 'allowed' : 'notAllowed');
}

function Facts({ track }: { track: Track }) {
  const fromAudio = (member: string) =>
    track.detected.includes(member) ? `, ${t('fromAudio')}` : '';
  const facts: [string, string][] = [
    [t('originalTitle'), track.originalName === track.name ? '' : (track.originalName ?? '')],
    [t('type'), t(track.type === 'sfx' ? 'soundEffect' : 'music')],
    [t('length'), clock(track.durationSeconds)],
    [t('tempo'), track.bpm === '' ? '' : `${track.bpm} BPM${fromAudio('bpm')}`],
    [t('key'), track.songKey.map(keyLabel).join(', ') + fromAudio('songKey')],
    [t('timeSignature'), track.timeSignature],
    [t('vocals'), t(VOCALS_NAMES[track.vocals])],
    [t('released'), day(track.releaseDate, { timeZone: 'UTC' })],
    [t('region'), track.region],
    [t('rights'), t(track.isPRO ? 'rightsPro' : 'rightsNone')],
    [t('audio'), track.audio === null ? '' : audioText(track.audio)],
    [t('stream'), track.stream === null ? '' : streamText(track.stream)],
    [t('ai'), aiText(track.provenance)],
    [t('training'), trainingText(track)],
    [t('provenance'), track.provenance.statement ?? ''],
    [t('isrc'), track.isrc],
    [t('slug'), track.slug],
    [t('id'), track.id],
  ];
  return (
    <>
      <div class="chips">
        {track.filters.map(({ slug, name, type }) => (
          <button
            type="button"
            class="chip"
            key={slug}
            title={type}
            onClick={() => refine(onlyFilter(slug))}
          >
            {name}
          </button>
        ))}
      </div>
      <dl class="facts">
        {facts
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        {track.artists.map(({ id, role, name }) => (
          <div key={`${id} ${role}`}>
            <dt>{roleName(role)}</dt>
            <dd>{name}</dd>
          </div>
        ))}
        {track.tags.length > 0 && (
          <div>
            <dt>{t('tags')}</dt>
            <dd>{track.tags.join(', ')}</dd>
          </div>
        )}
      </dl>
    </>
  );
}

/** `MAIN_ARTIST` is `Main artist`. */
function roleName(role: string): string {
  const words = role.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
