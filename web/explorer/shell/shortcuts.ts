import type { Track } from '#client';
import { go, view, withPanel, withTrack } from '../browse/location.ts';
import { toggleInCart } from '../buying/cart.ts';
import { moveCursor, takeCursor } from '../list/move-cursor.ts';
import { cursor, visible } from '../list/shown-list.ts';
import {
  audio,
  isMuted,
  isPlayingTrack,
  playing,
  seek,
  skip,
  start,
  toggle,
} from '../player/player.ts';
import { addTrack } from '../track/adding.ts';
import { areKeysOn, isHelpOpen, isSidebarOpen } from './dialogs.ts';
import { focusList } from './focus.ts';
import { may, session } from './session.ts';

/** How far the arrows move in the sound, in seconds. */
const STEP_SECONDS = 5;
/** How far Page Up and Page Down move in the list, in rows. */
const PAGE_ROWS = 10;

/** Keys that are a letter or a sign. */
const SIGNS: Readonly<Record<string, () => void>> = {
  '/': () => document.getElementById('search')?.focus(),
  '?': () => {
    isHelpOpen.value = true;
  },
  j: () => move(1),
  k: () => move(-1),
  n: () => skip(1),
  p: () => skip(-1),
  m: () => {
    isMuted.value = !isMuted.value;
  },
  o: openCursor,
  a: () => onCursor(addTrack),
  c: () => {
    if (may('licensing')) onCursor(toggleInCart);
  },
};

/** Keys that move in the list or in the sound. Elements with keys of their own keep them. */
const ARROWS: Readonly<Record<string, () => void>> = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  PageDown: () => move(PAGE_ROWS),
  PageUp: () => move(-PAGE_ROWS),
  Home: () => move(-Infinity),
  End: () => move(Infinity),
  ArrowLeft: () => seek(audio.currentTime - STEP_SECONDS),
  ArrowRight: () => seek(audio.currentTime + STEP_SECONDS),
};

/** Obeys the keys, on the whole page. */
export function connectShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    const target = event.target as Element;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (session.peek() === undefined || target.closest('dialog') !== null) return;
    const act = actionOf(event.key, target);
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

function actionOf(key: string, target: Element): (() => void) | undefined {
  if (key === 'Escape') return () => leave(target);
  if (target.matches('input:not([type=range], [type=checkbox]), textarea, select'))
    return undefined;
  if (key === ' ')
    return target.matches('button, a, [type=checkbox], summary') ? undefined : playOrPause;
  if (key === 'Enter' && target.matches('[role=row]')) {
    return () => {
      takeCursor(target);
      playCursor();
    };
  }
  if (key in ARROWS) {
    return target.matches('[type=range]') || target.closest('.panel, .sidebar') !== null
      ? undefined
      : ARROWS[key];
  }
  return areKeysOn.value ? SIGNS[key] : undefined;
}

function move(by: number): void {
  if (visible.value !== undefined) moveCursor(visible.value, by);
}

function playOrPause(): void {
  if (playing.value === undefined) playCursor();
  else toggle();
}

function playCursor(): void {
  if (visible.value === undefined) return;
  const row = visible.value.at(cursor.value);
  if (row !== undefined && isPlayingTrack(row.track)) toggle();
  else void start(visible.value, cursor.value);
}

function openCursor(): void {
  onCursor(({ slug }) => go(withTrack(slug)));
}

function onCursor(act: (track: Track) => void): void {
  const row = visible.value?.at(cursor.value);
  if (row !== undefined) act(row.track);
}

/** Closes what is on top, or leaves the search, and returns to the list. */
function leave(target: Element): void {
  const { panel, track } = view.value;
  if (isSidebarOpen.value) isSidebarOpen.value = false;
  else if (!target.matches('#search')) {
    if (panel !== undefined) go(withPanel(undefined));
    else if (track !== undefined) go(withTrack(undefined));
  }
  focusList();
}
