import { useSignal } from '@preact/signals';
import { announce } from '../shell/announcement.tsx';
import { type Key, t } from '../texts/texts.ts';

/** Asks once more, because it cannot be undone. */
export function DeleteButton({
  remove,
  text = 'delete',
  sure = 'deleteForGood',
  name,
}: {
  remove: () => void;
  text?: Key;
  /** The text once it asks. */
  sure?: Key;
  /** What it deletes, where the page has several such buttons. */
  name?: string;
}) {
  const isAsking = useSignal(false);
  const label = t(isAsking.value ? sure : text);
  return (
    <button
      type="button"
      {...(name && { 'aria-label': `${label}: ${name}` })}
      class={isAsking.value ? 'danger' : 'quiet'}
      onClick={({ detail, currentTarget }) => {
        // The second click of a double click is no answer.
        if (detail > 1) return;
        if (isAsking.value) remove();
        else {
          isAsking.value = true;
          announce(t('pressAgain'));
        }
        // Not every browser focuses a button that is clicked, and only that reports the blur.
        currentTarget.focus();
      }}
      onKeyDown={(event) => {
        // Enter that is held is no answer, either.
        if (event.repeat && event.key === 'Enter') event.preventDefault();
        if (event.key !== 'Escape' || !isAsking.value) return;
        event.stopPropagation();
        isAsking.value = false;
      }}
      onBlur={() => {
        isAsking.value = false;
      }}
    >
      {label}
    </button>
  );
}
