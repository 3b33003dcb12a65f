import type { Writable } from 'node:stream';
import type { Clock } from '../../../common/clock.ts';
import { printable } from '../../../common/text/shown.ts';

/** Progress in bytes of a total (0 if unknown) and in records. */
interface Progress {
  bytesRead: number;
  bytesTotal: number;
  records: number;
  /** The counted unit in the singular; `record` by default. */
  unit?: string;
  /** The current work. The first 40 characters are shown. */
  label?: string;
}

export type ProgressBar = ReturnType<typeof progressBar>;

const MIN_INTERVAL_MS = 100;
const WIDTH = 24;
/** A line longer than the terminal could not be overwritten. */
const MAX_LABEL_LENGTH = 40;

/** A line at the bottom of the terminal. Without a terminal, it shows nothing. */
export function progressBar(terminal: Writable | undefined, clock: Clock) {
  const startedAt = clock.now();
  let shownAt = 0;
  let isShown = false;
  const clear = () => {
    if (isShown) terminal?.write('\r\x1b[K');
    isShown = false;
  };
  return {
    clear,
    /** Shows the progress at most ten times per second; other calls cost nothing. */
    show(progress: Progress): void {
      const now = clock.now();
      if (terminal === undefined || now - shownAt < MIN_INTERVAL_MS) return;
      shownAt = now;
      isShown = true;
      terminal.write(`\r\x1b[K${progressLine(progress, (now - startedAt) / 1000)}`);
    },
    /** Removes the line before `print` runs. */
    around(print: () => void): void {
      clear();
      print();
    },
  };
}

function progressLine(
  { bytesRead, bytesTotal, records, unit = 'record', label = '' }: Progress,
  seconds: number,
): string {
  const rate = seconds > 0 ? ` · ${Math.round(records / seconds).toLocaleString('en')}/s` : '';
  const what = label === '' ? '' : ` · ${printable(label.slice(0, MAX_LABEL_LENGTH))}`;
  const count = `${records.toLocaleString('en')} ${unit}${records === 1 ? '' : 's'}${rate}${what}`;
  if (bytesTotal === 0) return count;
  const share = Math.min(1, bytesRead / bytesTotal);
  const full = Math.round(share * WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${Math.floor(share * 100)} % · ${count}`;
}
