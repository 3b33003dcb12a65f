import { focusCursor, listElement } from './focus.ts';
import { cursor } from './shown-list.ts';
import type { TrackPages } from './track-pages.ts';

/**
 * Moves the cursor, and the focus with it. If no row has the focus, the first step takes the cursor to a row that is
 * visible.
 */
export function moveCursor(pages: TrackPages, by: number): void {
  const total = pages.total.value ?? 0;
  const list = listElement.value;
  if (total === 0 || list === undefined) return;
  takeCursor(document.activeElement);
  const isInList = rowOf(document.activeElement) !== null;
  const isFromCursor = isInList || !Number.isFinite(by);
  const from = isFromCursor ? cursor.value + by : list.nearest(cursor.value);
  cursor.value = Math.max(0, Math.min(total - 1, from));
  list.show(cursor.value);
  focusCursor();
}

/** Moves the cursor to the row that contains an element: a list that has arrived late moves the cursor, but not the focus. */
export function takeCursor(element: Element | null): void {
  const row = rowOf(element);
  if (row !== null) cursor.value = Number(row.dataset.index);
}

function rowOf(element: Element | null): HTMLElement | null {
  return element?.closest<HTMLElement>('[role=row][data-index]') ?? null;
}
