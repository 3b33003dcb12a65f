/** As many as a wide row has bars. */
const BARS = 160;
/** The widths of a bar and of the gap after it, in pixels. */
const [BAR, GAP] = [2, 1];
/** How often a waveform that is being made is asked for, and the pause between. */
const ATTEMPTS = 4;
const PAUSE_MS = 5_000;

/** Returns the outline of a track from 0 to 1; undefined if there is none yet. Rejects if it cannot be loaded. */
export async function readOutline(
  url: string,
  signal: AbortSignal,
): Promise<readonly number[] | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const response = await fetch(url, { signal });
    if (response.ok) return outlineOf(((await response.json()) as { data: number[] }).data);
    if (response.status !== 503) return undefined;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    signal.throwIfAborted();
  }
  return undefined;
}

/** @param data pairs of the least and the greatest sample, as audiowaveform makes them */
function outlineOf(data: readonly number[]): readonly number[] {
  const pairs = data.length / 2;
  const bars = Array.from({ length: Math.min(BARS, pairs) }, () => 0);
  for (let i = 0; i < pairs; i++) {
    const bar = Math.floor((i * bars.length) / pairs);
    bars[bar] = Math.max(bars[bar]!, -data[2 * i]!, data[2 * i + 1]!);
  }
  const most = Math.max(1, ...bars);
  return bars.map((bar) => bar / most);
}

/** Draws an outline, or a line without one, filled up to a position from 0 to 1. */
export function drawOutline(
  canvas: HTMLCanvasElement,
  outline: readonly number[] | undefined,
  played: number,
): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const context = canvas.getContext('2d');
  if (width === 0 || context === null) return;
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  context.scale(devicePixelRatio, devicePixelRatio);
  // Two colors of the style sheet, which have no other effect on a canvas.
  const { color, caretColor } = getComputedStyle(canvas);
  for (let x = 0; x < width; x += BAR + GAP) {
    const peak = outline?.[Math.floor((x / width) * outline.length)] ?? 0;
    const half = Math.max(1, (peak * height) / 2);
    context.fillStyle = x / width < played ? color : caretColor;
    context.fillRect(x, height / 2 - half, outline ? BAR : BAR + GAP, 2 * half);
  }
}
