/** The widths of a bar and of the gap after it, in pixels. */
const [BAR, GAP] = [2, 1];

/**
 * Draws the outline of a track, from 0 to 1, whose share `played` has the first of two colors. A plain line without an
 * outline.
 */
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

/** Returns the greatest value of each of `count` equal parts, relative to the greatest of all. */
export function outline(
  count: number,
  length: number,
  valueAt: (i: number) => number,
): Float32Array {
  const parts = new Float32Array(Math.min(count, length));
  for (let i = 0; i < length; i++) {
    const part = Math.floor((i * parts.length) / length);
    parts[part] = Math.max(parts[part]!, valueAt(i));
  }
  const most = parts.reduce((a, b) => Math.max(a, b), 0);
  return most === 0 ? parts : parts.map((value) => value / most);
}
