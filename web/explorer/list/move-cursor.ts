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
  const isInList = document.activeElement?.closest('[role=row]') instanceof Element;
  const isFromCursor = isInList || !Number.isFinite(by);
  const from = isFromCursor ? cursor.value + by : list.nearest(cursor.value);
  cursor.value = Math.max(0, Math.min(total - 1, from));
  list.show(cursor.value);
  focusCursor();
}
