import { signal } from '@preact/signals';
import { cursor } from './shown-list.ts';

/** The list on the page. */
export const listElement = signal<
  | {
      /** Scrolls as little as it takes to show a row. */
      show(index: number): void;
      /** The visible row that is nearest to this one. */
      nearest(index: number): number;
    }
  | undefined
>(undefined);

/** Moves the focus to the row of the cursor: at once if it is rendered, otherwise with the next picture. */
export function focusCursor(): void {
  if (!focusRow()) requestAnimationFrame(focusRow);
}

/** Moves the focus to the row of the cursor, and returns whether it is rendered and can take it. */
export function focusRow(): boolean {
  // By then, another key may have moved the cursor further.
  const row = document.querySelector<HTMLElement>(`[data-index="${cursor.value}"]`);
  row?.focus({ preventScroll: true });
  return row !== null && row === document.activeElement;
}
