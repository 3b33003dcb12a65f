import type { Log } from '../../src/common/log.ts';

/** A line of the log: its fields, its level and its message. */
export interface LogLine {
  level: string;
  message: string;
  [field: string]: unknown;
}

/** A log that keeps its lines. */
export function keptLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const write =
    (level: string): Log['info'] =>
    (fields, message) =>
      lines.push({ ...fields, level, message });
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { log, lines };
}
