import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isDark } from '../shell/theme.ts';
import { peaksOf } from './peaks.ts';
import { duration, playing, position } from './player.ts';

/** The widths of a bar and of the gap after it, in pixels. */
const [BAR, GAP] = [2, 1];

/** The waveform of the track in the player, filled up to the present position. A plain line while there is none. */
export function Waveform() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const peaks = useSignal<Float32Array | undefined>(undefined);
  const width = useSignal(0);

  useSignalEffect(() => {
    const current = playing.value;
    peaks.value = undefined;
    if (current === undefined) return;
    const abort = new AbortController();
    peaksOf(current.row, abort.signal).then(
      (found) => {
        if (!abort.signal.aborted) peaks.value = found;
      },
      // The line shows the position, too.
      () => {},
    );
    return () => abort.abort();
  });
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      width.value = entry!.contentRect.width;
    });
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, []);
  useSignalEffect(() => {
    isDark.value;
    const played = duration.value > 0 ? position.value / duration.value : 0;
    if (canvas.current && width.value > 0) draw(canvas.current, peaks.value, played);
  });
  return <canvas ref={canvas} class={peaks.value ? 'drawn' : ''} aria-hidden="true" />;
}

/** Draws an outline, or a line where there is none, filled up to a share of its width. */
export function draw(
  canvas: HTMLCanvasElement,
  peaks: Float32Array | undefined,
  played: number,
): void {
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d')!;
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  // Two colors that the style sheet sets and that have no effect on a canvas.
  const [before, after] = [style.color, style.caretColor];
  const middle = height / 2;
  for (let x = 0; x < width; x += BAR + GAP) {
    const half =
      peaks === undefined
        ? 1
        : Math.max(1, loudest(peaks, x / width, (x + BAR + GAP) / width) * middle);
    context.fillStyle = x / width < played ? before : after;
    context.fillRect(x, middle - half, peaks === undefined ? BAR + GAP : BAR, 2 * half);
  }
}

function loudest(peaks: Float32Array, from: number, to: number): number {
  const first = Math.floor(from * peaks.length);
  const end = Math.max(first + 1, Math.floor(to * peaks.length));
  let most = 0;
  for (let i = first; i < end; i++) most = Math.max(most, peaks[i] ?? 0);
  return most;
}
