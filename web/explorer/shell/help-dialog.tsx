import { useEffect, useRef } from 'preact/hooks';
import { areKeysOn, isHelpOpen } from './dialogs.ts';
import { Icon } from './icon.tsx';

const KEYS: readonly [keys: string, effect: string][] = [
  ['/', 'Search'],
  ['Space', 'Play or pause'],
  ['↑ ↓ or k j', 'Move in the list'],
  ['Enter', 'Play the track of the list'],
  ['o', 'Open the track beside the list'],
  ['← →', 'Back or forward by five seconds'],
  ['n, p', 'Next or previous track'],
  ['m', 'Mute'],
  ['Esc', 'Close'],
  ['?', 'This help'],
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
        <h2 id="help-title">Help</h2>
        <button type="button" class="bare" aria-label="Close Help" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
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
      <p class="meta">
        The address of the page always leads back to what you see.{' '}
        <a href="docs" target="_blank" rel="noreferrer">
          API reference and guides
        </a>
      </p>
    </dialog>
  );
}
