import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../explorer/shell/icon.tsx';
import { asking } from './guest.ts';

export const isHelpOpen = signal(false);
/** Whether keys of one letter or sign do something (WCAG 2.1.4). */
export const areKeysOn = signal(true);

const KEYS: readonly [keys: string, effect: string][] = [
  ['Space', 'Play or pause'],
  ['↑ ↓ or k j', 'Move in the list'],
  ['Enter', 'Play the track of the list'],
  ['a, x', 'Approve of the track, or pass on it'],
  ['c', 'Comment on the track'],
  ['← →', 'Back or forward by five seconds'],
  ['n, p', 'Next or previous track'],
  ['m', 'Mute'],
  ['?', 'This help'],
];

export function HelpDialog() {
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <Dialog isOpen={isHelpOpen.value} title="Help" close={close}>
      <dl class="keys">
        {KEYS.map(([keys, effect]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={areKeysOn.value}
          onChange={(event) => {
            areKeysOn.value = event.currentTarget.checked;
          }}
        />
        Keys of one letter or sign
      </label>
    </Dialog>
  );
}

/** Asks once for the name of the guest. */
export function NameDialog() {
  const field = useRef<HTMLInputElement>(null);
  return (
    <Dialog
      isOpen={asking.value !== undefined}
      title="Your name"
      close={() => asking.value?.(undefined)}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const name = field.current!.value.trim();
          if (name !== '') asking.value?.(name);
        }}
      >
        <label>
          Everybody with this link sees it beside your comments.
          <input ref={field} required maxLength={80} autocomplete="name" />
        </label>
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    </Dialog>
  );
}

function Dialog({
  isOpen,
  title,
  close,
  children,
}: {
  isOpen: boolean;
  title: string;
  close(): void;
  children: preact.ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} aria-label={title} onClose={close}>
      <div class="dialog-top">
        <h2>{title}</h2>
        <button type="button" class="bare" aria-label={`Close ${title}`} onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {isOpen && children}
    </dialog>
  );
}
