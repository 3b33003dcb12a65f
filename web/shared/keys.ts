import { areKeysOn, isHelpOpen } from './dialogs.tsx';
import { audio, isMuted, playing, seek, skip, start, toggle } from './player.ts';
import { vote } from './votes.tsx';

const STEP_SECONDS = 5;

/** Keys that are a letter or a sign: those of the explorer, and those of votes and comments. */
const SIGNS: Readonly<Record<string, () => void>> = {
  '?': () => {
    isHelpOpen.value = true;
  },
  j: () => move(1),
  k: () => move(-1),
  n: () => void skip(1),
  p: () => void skip(-1),
  m: () => {
    isMuted.value = !isMuted.value;
  },
  a: () => say('approve'),
  x: () => say('pass'),
  c: comment,
};

const ARROWS: Readonly<Record<string, () => void>> = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  ArrowLeft: () => seek(audio.currentTime - STEP_SECONDS),
  ArrowRight: () => seek(audio.currentTime + STEP_SECONDS),
};

/** Obeys the keys, on the whole page. */
export function connectKeys(): void {
  document.addEventListener('keydown', (event) => {
    const target = event.target as Element;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest('dialog') !== null) return;
    const act = actionOf(event.key, target);
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

function actionOf(key: string, target: Element): (() => void) | undefined {
  if (target.matches('input:not([type=range]), textarea')) return undefined;
  if (key === ' ') return target.matches('button, a') ? undefined : playOrPause;
  if (key === 'Enter') return target.matches('.row') ? playRow : undefined;
  if (key in ARROWS) return target.matches('[type=range]') ? undefined : ARROWS[key];
  return areKeysOn.value ? SIGNS[key] : undefined;
}

function rows(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('.row')];
}

/** The row with the focus; if none has it, that of the track that plays, or the first one. */
function row(): HTMLElement | undefined {
  const all = rows();
  const focused = document.activeElement?.closest<HTMLElement>('.row');
  return focused ?? all.find((one) => one.dataset.track === playing.peek()) ?? all[0];
}

function move(by: 1 | -1): void {
  const all = rows();
  const isInList = document.activeElement?.closest('.row') !== null;
  const at = isInList ? all.indexOf(row()!) + by : all.indexOf(row()!);
  all[Math.max(0, Math.min(all.length - 1, at))]?.focus();
}

function playRow(): void {
  const trackId = row()?.dataset.track;
  if (trackId === playing.peek()) toggle();
  else if (trackId !== undefined) void start(trackId);
}

function playOrPause(): void {
  if (playing.peek() === undefined) playRow();
  else toggle();
}

function say(wanted: 'approve' | 'pass'): void {
  const trackId = row()?.dataset.track;
  if (trackId !== undefined) void vote(trackId, wanted);
}

/** Opens the comments of the row, and moves the focus into the field. */
function comment(): void {
  const present = row();
  present?.querySelector<HTMLElement>('[aria-expanded=false]')?.click();
  requestAnimationFrame(() => present?.querySelector('textarea')?.focus());
}
