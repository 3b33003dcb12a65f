import { focusRow } from '../list/focus.ts';

/** Moves the focus to the heading of what is in the middle of the page. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus();
}

/** Moves the focus to the row of the cursor. If none can take it, to the heading of the panel or of the page. */
export function focusList(): void {
  if (focusRow()) return;
  // By then, what the key has changed is shown.
  requestAnimationFrame(() => {
    if (!focusRow() && !focusPanel()) focusHeading();
  });
}

function focusPanel(): boolean {
  const heading = document.querySelector<HTMLElement>('.panel h2');
  heading?.focus();
  return heading !== null;
}

/** What had the focus last, and the panel or the rows that contain it. */
let last: Element | undefined;
let around: Element | null = null;

/** Moves the focus to a place nearby when the element that has it is removed, as by a link to another list. */
export function connectFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    last = target as Element;
    around = last.closest('.panel, .scroller');
  });
  const observer = new MutationObserver(() => {
    // By then, the action that removes the element may have moved the focus itself.
    if (isLost()) requestAnimationFrame(restore);
  });
  observer.observe(document.getElementById('app')!, { childList: true, subtree: true });
}

function isLost(): boolean {
  return last !== undefined && !last.isConnected && document.activeElement === document.body;
}

function restore(): void {
  if (!isLost()) return;
  if (around?.matches('.panel')) {
    if (!focusPanel() && !focusRow()) focusHeading();
  } else if (!around?.isConnected) focusHeading();
  // Otherwise a row was scrolled away. The keys lead back into the list, and the page must not scroll.
}
