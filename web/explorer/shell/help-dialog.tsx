import { useEffect, useRef } from 'preact/hooks';
import { type Key, t } from '../texts/texts.ts';
import { areKeysOn, isHelpOpen } from './dialogs.ts';
import { Icon } from './icon.tsx';

const KEYS: readonly [keys: string, effect: Key][] = [
  ['/', 'keySearch'],
  ['Space', 'keyPlay'],
  ['↑ ↓ k j', 'keyMove'],
  ['Enter', 'keyEnter'],
  ['o', 'keyOpen'],
  ['a', 'keyAdd'],
  ['c', 'keyCart'],
  ['← →', 'keySeek'],
  ['n p', 'keySkip'],
  ['m', 'keyMute'],
  ['Esc', 'keyClose'],
  ['?', 'keyHelp'],
];

/** The keys of the page, and a switch for them (WCAG 2.1.4). */
export function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isHelpOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isHelpOpen.value]);
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={close}>
      <div class="panel-top">
        <h2 id="help-title">{t('help')}</h2>
        <button
          type="button"
          class="bare"
          aria-label={t('close', { name: t('help') })}
          onClick={close}
        >
          <Icon name="close" />
        </button>
      </div>
      <dl class="keys">
        {KEYS.map(([keys, effect]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
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
        {t('keysOfOneSign')}
      </label>
      <p class="meta">
        {t('helpAddress')}{' '}
        <a href="docs" target="_blank" rel="noreferrer">
          {t('reference')}
        </a>
      </p>
    </dialog>
  );
}
