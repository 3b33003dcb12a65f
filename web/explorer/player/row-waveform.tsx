import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Track } from '#client';
import { isDark } from '../shell/theme.ts';
import { draw } from './draw-waveform.ts';
import { outlineOfRow } from './peaks.ts';
import { duration, isPlayingTrack, position } from './player.ts';

/** A row that is scrolled past sooner requests no waveform, in milliseconds. */
const SETTLED_MS = 200;

/** The waveform of a track in a list, for clients with previews; a line for others. Nothing without audio. */
export function RowWaveform({ track }: { track: Track }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const peaks = useSignal<Float32Array | undefined>(undefined);
  useEffect(() => {
    if (!track.hasAudio || !('waveformUrl' in track)) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      outlineOfRow(track, abort.signal).then(
        (found) => {
          if (!abort.signal.aborted) peaks.value = found;
        },
        // The line stays.
        () => {},
      );
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, []);
  useSignalEffect(() => {
    isDark.value;
    const isThis = isPlayingTrack(track) && duration.value > 0;
    const played = isThis ? position.value / duration.value : 0;
    if (canvas.current) draw(canvas.current, peaks.value, played);
  });
  return track.hasAudio ? <canvas ref={canvas} class={peaks.value ? 'made' : ''} /> : null;
}
