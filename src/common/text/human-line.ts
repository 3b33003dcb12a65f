import { printableLine } from './shown.ts';

/** Formats a line of the log, which is JSON, for a person at a terminal. */
export function humanLine(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line);
  const members = Object.entries(fields).map(([name, value]) => {
    return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  const clock = time.slice(11, 19);
  const [first, ...stack] = (err?.stack ?? err?.message ?? '').split('\n');
  const text = [clock, level.toUpperCase().padEnd(5), msg, ...members, first];
  return [text.filter(Boolean).join(' '), ...stack]
    .map((one) => `${printableLine(one)}\n`)
    .join('');
}
