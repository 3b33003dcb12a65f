import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SharedItem } from '#client';
import { draw, outline } from '../explorer/player/draw-waveform.ts';
import { isDark } from '../explorer/shell/theme.ts';
import { duration, playing, position, seek, start } from './player.ts';

const COUNT = 400;
/** How often a waveform that is being made is asked for. */
const ATTEMPTS = 6;

/** The outlines that were loaded, by the ids of tracks. */
const outlines = new Map<string, Promise<Float32Array | undefined>>();

/**
 * The waveform of a track, loaded when it becomes visible, or a plain line. It is filled up to the present position, except
 * that of a whole track whose preview clip is played.
 */
export function Wave({
  item,
  isLine = false,
  canSeek = false,
}: {
  item: SharedItem;
  isLine?: boolean;
  /** Whether a click plays the track from there. */
  canSeek?: boolean;
}) {
  const { track } = item;
  const canvas = useRef<HTMLCanvasElement>(null);
  const peaks = useSignal<Float32Array | undefined>(undefined);
  const width = useSignal(0);
  useEffect(() => {
    let isGone = false;
    const seen = new IntersectionObserver(([entry]) => {
      if (!entry!.isIntersecting) return;
      seen.disconnect();
      if (isLine) return;
      void outlineOf(track).then((found) => {
        if (!isGone) peaks.value = found;
      });
    });
    const sized = new ResizeObserver(([entry]) => {
      width.value = entry!.contentRect.width;
    });
    seen.observe(canvas.current!);
    sized.observe(canvas.current!);
    return () => {
      isGone = true;
      seen.disconnect();
      sized.disconnect();
    };
  }, [track.id]);
  useEffect(() => {
    const playFrom = (event: MouseEvent) => {
      const share = track.streamUrl === undefined ? 0 : event.offsetX / width.peek();
      if (playing.peek() !== track.id) void start(track.id, share);
      else if (track.streamUrl !== undefined) seek(share * duration.peek());
    };
    // With the keyboard, the slider of the player does the same.
    if (canSeek) canvas.current!.addEventListener('click', playFrom);
  }, []);
  useSignalEffect(() => {
    isDark.value;
    const isWhole = isLine || track.streamUrl !== undefined;
    const isPlayed = isWhole && playing.value === track.id && duration.value > 0;
    const played = isPlayed ? position.value / duration.value : 0;
    if (canvas.current && width.value > 0) draw(canvas.current, peaks.value, played);
  });
  return <canvas ref={canvas} aria-hidden="true" />;
}

function outlineOf({ id, waveformUrl }: SharedItem['track']): Promise<Float32Array | undefined> {
  if (waveformUrl === undefined) return Promise.resolve(undefined);
  const known = outlines.get(id) ?? load(waveformUrl).catch(() => undefined);
  outlines.set(id, known);
  return known;
}

async function load(url: string): Promise<Float32Array | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const response = await fetch(url);
    if (response.ok) {
      const { data } = (await response.json()) as { data: number[] };
      return outline(COUNT, data.length / 2, (bin) =>
        Math.max(-data[2 * bin]!, data[2 * bin + 1]!),
      );
    }
    if (response.status !== 503) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  }
  return undefined;
}
