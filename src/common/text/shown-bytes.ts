const UNITS = ['KB', 'MB', 'GB', 'TB'];

/** Formats a number of bytes for people, with two significant digits at least: `1.2 GB`, `340 MB`. */
export function shownBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let size = bytes / 1_000;
  let unit = 0;
  for (; size >= 999.5 && unit < UNITS.length - 1; unit++) size /= 1_000;
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`;
}
