import { effect, signal } from '@preact/signals';
import { Icon } from '../explorer/shell/icon.tsx';
import { Refusal } from './api.ts';
import { isClosed, isClosedNow } from './collection.ts';
import { type Key, t } from './texts/texts.ts';

interface Toast {
  text: string;
  isProblem?: boolean;
  action?: { label: string; act(): void };
}

/** What was done last, or why it failed; a problem stays until something else is done. */
export const toast = signal<Toast | undefined>(undefined);

const SHOWN_MS = 8_000;

effect(() => {
  if (toast.value === undefined || toast.value.isProblem) return;
  const hide = () => {
    if (document.querySelector('.toast:is(:hover, :focus-within)')) timer = setTimeout(hide, 1_000);
    else toast.value = undefined;
  };
  let timer = setTimeout(hide, SHOWN_MS);
  return () => clearTimeout(timer);
});

/**
 * Says why something was not saved, and offers to do it again if that may help. Shows the end of the link if that is the
 * reason.
 *
 * @param limit what a link with too many guests, or too many comments, says
 */
export async function notSaved(
  error: unknown,
  { limit, again }: { limit: 'guestLimit' | 'commentLimit'; again(): void },
): Promise<void> {
  const status = error instanceof Refusal ? error.status : 0;
  // Of a link that has ended, or of a track that is not in the collection any more.
  if (status === 404 ? await isClosedNow() : isClosed(error)) return;
  const reasons: Record<number, Key> = {
    0: 'notSavedOffline',
    400: 'notSavedText',
    403: 'commentsOff',
    404: 'trackGone',
    409: limit,
    429: 'notSavedWait',
  };
  const seconds = error instanceof Refusal ? error.seconds : 0;
  toast.value = {
    text: t(reasons[status] ?? 'notSavedBusy', { n: seconds }),
    isProblem: true,
    ...((status === 0 || status >= 429) && { action: { label: t('again'), act: again } }),
  };
}

export function ToastBar() {
  const shown = toast.value;
  const close = () => {
    toast.value = undefined;
  };
  return (
    <div class="toasts" role="status">
      {shown && (
        <div class={shown.isProblem ? 'toast bad' : 'toast'}>
          <p dir="auto">{shown.text}</p>
          {shown.action && (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                close();
                shown.action!.act();
              }}
            >
              {shown.action.label}
            </button>
          )}
          <button type="button" class="bare" aria-label={t('close')} onClick={close}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  );
}
