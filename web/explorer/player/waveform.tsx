import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isDark } from '../shell/theme.ts';
import { draw } from './draw-waveform.ts';
import { peaksOf } from './peaks.ts';
import { duration, playing, position } from './player.ts';

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
