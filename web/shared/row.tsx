import { useSignal } from '@preact/signals';
import type { SharedItem } from '#client';
import { clock, elapsed } from '../explorer/list/time.ts';
import { Icon } from '../explorer/shell/icon.tsx';
import { artistsOf, collection, isPlayable } from './collection.ts';
import { Comments } from './comments.tsx';
import { isHeard, playing, position, start, toggle } from './player.ts';
import { number, t } from './texts/texts.ts';
import { VoteButton } from './votes.tsx';
import { Wave } from './wave.tsx';

export function Row({ item }: { item: SharedItem }) {
  const { track, note } = item;
  const isThis = playing.value === track.id;
  const tags = track.filters.slice(0, 4).map(({ name }) => name);
  return (
    <li
      class={isThis ? 'row playing' : 'row'}
      data-track={track.id}
      tabIndex={-1}
      aria-current={isThis}
    >
      <PlayButton item={item} />
      <div class="names">
        <h2 dir="auto" title={track.name}>
          {track.name}
        </h2>
        <span class="artists" dir="auto">
          {artistsOf(item)}
        </span>
      </div>
      <Facts item={item} />
      <div class="wave">
        <Wave item={item} canSeek />
      </div>
      {note !== '' && (
        <p class="note" dir="auto">
          {note}
        </p>
      )}
      <Said item={item} tags={tags.join(' · ')} />
    </li>
  );
}

function Facts({ item }: { item: SharedItem }) {
  const { id, songKey, bpm, durationSeconds } = item.track;
  const facts = [songKey[0], bpm && `${Math.round(Number(bpm))} BPM`, clock(durationSeconds)];
  if (!isPlayable(item)) facts.push(t('noAudio'));
  else if (collection.value?.streams === 'preview') facts.push(t('preview'));
  return (
    <p class="facts">
      {playing.value === id && <b>{elapsed(position.value)} / </b>}
      {facts.filter(Boolean).reverse().join(' · ')}
    </p>
  );
}

function PlayButton({ item }: { item: SharedItem }) {
  const { id, name, artworkUrl } = item.track;
  const isThis = playing.value === id;
  const isThisHeard = isThis && isHeard.value;
  const picture = <img src={artworkUrl} alt="" width="104" height="104" loading="lazy" />;
  if (!isPlayable(item)) return <span class="cover">{picture}</span>;
  return (
    <button
      type="button"
      class="cover"
      aria-label={t(isThisHeard ? 'pauseTrack' : 'playTrack', { name })}
      onClick={() => (isThis ? toggle() : void start(id))}
    >
      {picture}
      <Icon name={isThisHeard ? 'pause' : 'play'} />
    </button>
  );
}

/** Votes and comments. */
function Said({ item, tags }: { item: SharedItem; tags: string }) {
  const { comments, track } = item;
  const isOpen = useSignal(comments.length > 0);
  const label = t('comments');
  return (
    <>
      <div class="said">
        <p class="tags">{tags}</p>
        {(collection.value?.comments || comments.length > 0) && (
          <button
            type="button"
            class="vote"
            aria-expanded={isOpen.value}
            aria-label={t('countOn', { label, n: comments.length, name: track.name })}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            <Icon name="brief" />
            <span class="label">{label}</span> <span class="count">{number(comments.length)}</span>
          </button>
        )}
        <VoteButton item={item} vote="pass" />
        <VoteButton item={item} vote="approve" />
      </div>
      {isOpen.value && <Comments item={item} />}
    </>
  );
}
