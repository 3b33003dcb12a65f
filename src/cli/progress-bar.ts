import type { Writable } from 'node:stream';
import type { Clock } from '../kernel/clock.ts';

/** How far something has come: bytes of a total (0 where it is not known) and records so far. */
export interface Progress {
  bytesRead: number;
  bytesTotal: number;
  records: number;
  /** What is counted; `records` by default. */
  unit?: string;
}

/** One line at the bottom of a terminal that is written over and over. */
export interface ProgressBar {
  /** Ten times a second at most; other calls cost nothing. */
  show: (progress: Progress) => void;
  /** Takes the line away while something else is printed. */
  around(print: () => void): void;
  /** Takes the line away. */
  clear(): void;
}

const MIN_INTERVAL_MS = 100;
const WIDTH = 24;

/** A bar on the terminal; silent where there is none. */
export function progressBar(terminal: Writable | undefined, clock: Clock): ProgressBar {
  if (terminal === undefined) {
    return { show() {}, around: (print) => print(), clear() {} };
  }
  const startedAt = clock.now();
  let shownAt = 0;
  let isShown = false;
  const clear = () => {
    if (isShown) {
      terminal.write('\r\x1b[K');
      isShown = false;
    }
  };
  return {
    show(progress) {
      const now = clock.now();
      if (now - shownAt >= MIN_INTERVAL_MS) {
        shownAt = now;
        isShown = true;
        terminal.write(`\r\x1b[K${progressLine(progress, (now - startedAt) / 1000)}`);
      }
    },
    around(print) {
      clear();
      print();
    },
    clear,
  };
}

function progressLine(
  { bytesRead, bytesTotal, records, unit = 'records' }: Progress,
  seconds: number,
): string {
  const rate = seconds > 0 ? ` · ${Math.round(records / seconds).toLocaleString('en')}/s` : '';
  const count = `${records.toLocaleString('en')} ${unit}${rate}`;
  if (bytesTotal === 0) {
    return count;
  }
  const share = Math.min(1, bytesRead / bytesTotal);
  const full = Math.round(share * WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${Math.floor(share * 100)} % · ${count}`;
}
