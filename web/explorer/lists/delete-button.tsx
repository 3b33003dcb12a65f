import { useSignal } from '@preact/signals';
import { announce } from '../shell/announcement.tsx';
import { t } from '../texts/texts.ts';

/** Asks once more, because it cannot be undone. */
export function DeleteButton({ remove }: { remove: () => void }) {
  const isAsking = useSignal(false);
  return (
    <button
      type="button"
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
      {t(isAsking.value ? 'deleteForGood' : 'delete')}
    </button>
  );
}
