import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { may } from '../shell/session.ts';
import { t } from '../texts/texts.ts';
import { findLike } from './find-like.ts';

/** Takes an audio file that is dropped anywhere on the page. */
export function DropTarget() {
  const isOver = useSignal(false);
  useEffect(() => {
    if (!may('similar')) return;
    const ended = new AbortController();
    const listen = (type: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      document.addEventListener(type, act, { signal: ended.signal });
    listen('dragover', (event) => {
      isOver.value = event.dataTransfer?.types.includes('Files') ?? false;
      // Otherwise the browser opens the file.
      if (isOver.value) event.preventDefault();
    });
    listen('dragleave', ({ relatedTarget }) => {
      if (relatedTarget === null) isOver.value = false;
    });
    listen('drop', (event) => {
      isOver.value = false;
      const file = event.dataTransfer?.files[0];
      if (file === undefined) return;
      event.preventDefault();
      findLike(file);
    });
    return () => ended.abort();
  }, []);
  return isOver.value ? <p class="drop">{t('dropIt')}</p> : null;
}
