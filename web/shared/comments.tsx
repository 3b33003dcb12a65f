import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { SharedItem } from '#client';
import { Refusal, sendComment } from './api.ts';
import { closeComments, collection, showComment } from './collection.ts';
import { namedGuest, withoutControls } from './guest.ts';
import { day, t } from './texts/texts.ts';
import { notSaved, toast } from './toast.tsx';

export function Comments({ item: { comments, track } }: { item: SharedItem }) {
  return (
    <div class="comments">
      {comments.length > 0 && (
        <ul>
          {comments.map((comment) => (
            <li key={comment.id}>
              <b>
                <bdi>{comment.name}</bdi>
              </b>{' '}
              <time dateTime={comment.createdAt} class="meta">
                {day(comment.createdAt)}
              </time>
              <p dir="auto">{comment.text}</p>
            </li>
          ))}
        </ul>
      )}
      {collection.value?.comments && <CommentForm trackId={track.id} name={track.name} />}
    </div>
  );
}

function CommentForm({ trackId, name }: { trackId: string; name: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const isSending = useSignal(false);
  const send = async () => {
    const text = withoutControls(field.current!.value).trim();
    if (text === '' || isSending.value) return;
    const sender = await namedGuest();
    if (sender === undefined) return;
    isSending.value = true;
    try {
      showComment(await sendComment(sender, trackId, text));
      if (field.current) field.current.value = '';
      toast.value = { text: t('commentSent') };
    } catch (error) {
      await notSaved(error, { limit: 'commentLimit', again: () => void send() });
      if (error instanceof Refusal && error.status === 403) closeComments();
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
      <textarea
        ref={field}
        rows={2}
        maxLength={1000}
        dir="auto"
        placeholder={t('writeComment')}
        aria-label={t('yourComment', { name })}
      />
      <button type="submit" disabled={isSending.value}>
        {t('comment')}
      </button>
    </form>
  );
}
