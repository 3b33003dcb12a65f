import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { SharedItem } from '#client';
import { clock } from '../explorer/list/time.ts';
import { Icon } from '../explorer/shell/icon.tsx';
import { sendComment, sendVote } from './api.ts';
import { artistsOf, collection, failed, isPlayable, showComment, showVotes } from './collection.ts';
import { guest, keepVote, namedGuest } from './guest.ts';
import { isHeard, playing, start, toggle } from './player.ts';
import { Wave } from './wave.tsx';

export function Row({ item }: { item: SharedItem }) {
  const { track, note } = item;
  const isThis = playing.value === track.id;
  const facts = [track.songKey[0], track.bpm && `${Math.round(Number(track.bpm))} BPM`];
  const tags = track.filters.slice(0, 4).map(({ name }) => name);
  return (
    <li class={isThis ? 'row playing' : 'row'} data-track={track.id} tabIndex={-1}>
      <PlayButton item={item} />
      <div class="names">
        <h2 dir="auto">{track.name}</h2>
        <span class="artists" dir="auto">
          {artistsOf(item)}
        </span>
      </div>
      <p class="facts">{[...facts, clock(track.durationSeconds)].filter(Boolean).join(' · ')}</p>
      <div class="wave">
        <Wave track={track} />
      </div>
      {tags.length > 0 && <p class="tags">{tags.join(' · ')}</p>}
      {note !== '' && (
        <p class="note" dir="auto">
          {note}
        </p>
      )}
      <Said item={item} />
    </li>
  );
}

function PlayButton({ item }: { item: SharedItem }) {
  const { id, name, artworkUrl } = item.track;
  const isThis = playing.value === id;
  const isThisHeard = isThis && isHeard.value;
  if (!isPlayable(item)) {
    return (
      <img class="cover" src={artworkUrl} alt="No audio" width="56" height="56" loading="lazy" />
    );
  }
  return (
    <button
      type="button"
      class="cover"
      aria-label={`${isThisHeard ? 'Pause' : 'Play'} ${name}`}
      onClick={() => (isThis ? toggle() : void start(id))}
    >
      <img src={artworkUrl} alt="" width="56" height="56" loading="lazy" />
      <Icon name={isThisHeard ? 'pause' : 'play'} />
    </button>
  );
}

/** Votes and comments. */
function Said({ item }: { item: SharedItem }) {
  const isOpen = useSignal(item.comments.length > 0);
  const { id, name } = item.track;
  const { comments } = item;
  return (
    <div class="said">
      <VoteButton item={item} vote="approve" label="Approve" />
      <VoteButton item={item} vote="pass" label="Pass" />
      {(collection.value?.comments || comments.length > 0) && (
        <button
          type="button"
          class="chip"
          aria-expanded={isOpen.value}
          aria-label={`Comments ${comments.length}, ${name}`}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          Comments <span class="count">{comments.length}</span>
        </button>
      )}
      {isOpen.value && (
        <div class="comments">
          <ul>
            {comments.map((comment) => (
              <li key={comment.id}>
                <b dir="auto">{comment.name}</b>{' '}
                <time dateTime={comment.createdAt} class="meta">
                  {new Date(comment.createdAt).toLocaleDateString()}
                </time>
                <p dir="auto">{comment.text}</p>
              </li>
            ))}
          </ul>
          {collection.value?.comments && <CommentForm trackId={id} name={name} />}
        </div>
      )}
    </div>
  );
}

/** Sends a vote, or takes it back if it is the present one. */
export async function vote(trackId: string, wanted: 'approve' | 'pass'): Promise<void> {
  const sender = await namedGuest();
  if (sender === undefined) return;
  const next = guest.value.votes[trackId] === wanted ? null : wanted;
  try {
    showVotes(await sendVote(sender, trackId, next));
    keepVote(trackId, next);
  } catch (error) {
    failed(error);
  }
}

function VoteButton({
  item: { track, votes },
  vote: wanted,
  label,
}: {
  item: SharedItem;
  vote: 'approve' | 'pass';
  label: string;
}) {
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={guest.value.votes[track.id] === wanted}
      aria-label={`${label} ${votes[wanted]}, ${track.name}`}
      onClick={() => vote(track.id, wanted)}
    >
      {label} <span class="count">{votes[wanted]}</span>
    </button>
  );
}

function CommentForm({ trackId, name }: { trackId: string; name: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const isSending = useSignal(false);
  const send = async () => {
    const text = field.current!.value.trim();
    if (text === '' || isSending.value) return;
    const sender = await namedGuest();
    if (sender === undefined) return;
    isSending.value = true;
    try {
      showComment(await sendComment(sender, trackId, text));
      if (field.current) field.current.value = '';
    } catch (error) {
      failed(error);
    } finally {
      isSending.value = false;
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea ref={field} rows={2} maxLength={1000} aria-label={`Your comment on ${name}`} />
      <button type="submit" disabled={isSending.value}>
        Comment
      </button>
    </form>
  );
}
