import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../explorer/shell/icon.tsx';
import { asking, guest, withoutControls } from './guest.ts';
import { type Key, t } from './texts/texts.ts';

export const isHelpOpen = signal(false);
/** Whether keys of one letter or sign do something (WCAG 2.1.4). */
export const areKeysOn = signal(true);

const KEYS: readonly [keys: () => string, effect: Key][] = [
  [() => t('keySpace'), 'helpPlay'],
  [() => t('keysMove'), 'helpMove'],
  [() => 'Enter', 'helpEnter'],
  [() => 'a, x', 'helpVote'],
  [() => 'c', 'helpComment'],
  [() => '← →', 'helpSeek'],
  [() => 'n, p', 'helpSkip'],
  [() => 'm', 'mute'],
  [() => '?', 'helpHelp'],
];

export function HelpDialog() {
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <Dialog isOpen={isHelpOpen.value} title={t('help')} close={close}>
      <dl class="keys">
        {KEYS.map(([keys, effect]) => (
          <div key={effect}>
            <dt>
              <kbd>{keys()}</kbd>
            </dt>
            <dd>{t(effect)}</dd>
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
        {t('keysOn')}
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
      title={t('yourName')}
      close={() => asking.value?.(undefined)}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const name = withoutControls(field.current!.value).trim();
          if (name !== '') asking.value?.(name);
        }}
      >
        <label>
          {t('nameHint')}
          <input
            ref={field}
            required
            maxLength={80}
            dir="auto"
            autocomplete="name"
            defaultValue={guest.value.name}
          />
        </label>
        <button type="submit" class="primary">
          {t('continue')}
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
        <button type="button" class="bare" aria-label={t('closeDialog', { title })} onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {isOpen && children}
    </dialog>
  );
}
