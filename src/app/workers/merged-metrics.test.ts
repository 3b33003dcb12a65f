import { expect, it } from 'vitest';
import { Metrics } from '../../engines/http/metrics/metrics.ts';
import { mergedText } from './pool.ts';

function scrapeOf(worker: number) {
  const metrics = new Metrics();
  metrics.counter('seen_total', 'Seen.').increment([], worker + 1);
  metrics.counter('by_kind_total', 'By kind.', ['kind']).increment([`a {b} "${worker}"`]);
  metrics.histogram('took_seconds', 'How long.', 'what').observe('x', 0.2);
  metrics.gauge('process_resident_memory_bytes', 'Memory.', () => 7);
  if (worker === 1) metrics.gauge('only_here', 'Only one has it.', () => 1);
  return { worker, scrape: metrics.scrape() };
}

it('writes each name once with the series of all workers, and the series of the process once', () => {
  const text = mergedText([scrapeOf(0), undefined, scrapeOf(1)]);
  expect(text.split('\n').filter((line) => !line.includes('_bucket'))).toEqual([
    '# HELP seen_total Seen.',
    '# TYPE seen_total counter',
    'seen_total{worker="0"} 1',
    'seen_total{worker="1"} 2',
    '# HELP by_kind_total By kind.',
    '# TYPE by_kind_total counter',
    'by_kind_total{worker="0",kind="a {b} \\"0\\""} 1',
    'by_kind_total{worker="1",kind="a {b} \\"1\\""} 1',
    '# HELP took_seconds How long.',
    '# TYPE took_seconds histogram',
    'took_seconds_sum{worker="0",what="x"} 0.2',
    'took_seconds_count{worker="0",what="x"} 1',
    'took_seconds_sum{worker="1",what="x"} 0.2',
    'took_seconds_count{worker="1",what="x"} 1',
    '# HELP process_resident_memory_bytes Memory.',
    '# TYPE process_resident_memory_bytes gauge',
    'process_resident_memory_bytes 7',
    '# HELP only_here Only one has it.',
    '# TYPE only_here gauge',
    'only_here{worker="1"} 1',
    '',
  ]);
  expect(text).toContain('took_seconds_bucket{worker="1",what="x",le="0.25"} 1\n');
});
