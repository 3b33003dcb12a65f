import { expect, it } from 'vitest';
import { openLog } from '../../app/open/logger.ts';
import { humanLine } from './human-line.ts';

it('formats lines of the log for a terminal, without secrets and control characters', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(humanLine(line)) };
  const clock = { now: () => Date.parse('2026-11-29T08:15:04.250Z') };
  const log = openLog({ level: 'info', clock, fields: { worker: 2 }, destination });
  log.info({ path: '/v1/tracks', status: 200, empty: null, more: { a: [1] } }, 'request');
  log.warn({ token: 'x', agent: 'evil\u001b[2J\nline' }, 'careful');
  log.error({ err: new Error('broken') }, 'failed');
  const [request, careful, failed] = lines;
  expect(request).toBe(
    '08:15:04 INFO  request worker=2 path=/v1/tracks status=200 empty=null more={"a":[1]}\n',
  );
  expect(careful).toMatch(
    /^08:15:04 WARN {2}careful worker=2 token=\S+ agent=evil\S*\[2J[^\n]*\n$/,
  );
  expect(careful).not.toContain('\u001b');
  expect(careful).not.toContain('token=x');
  expect(failed).toMatch(/^08:15:04 ERROR failed worker=2 Error: broken\n +at .*\n/);
});
