import { it } from 'vitest';
import { expectAtATime } from '../../../../test/harness/at-a-time.ts';
import { totalsOf } from '../usage.ts';
import { readUsageSummary } from './read-usage-summary.ts';

it('makes eight summaries for a client at a time, and those of other clients', () =>
  expectAtATime(8, 'readUsageSummary', (summary) => readUsageSummary({ usage: { summary } }), {
    groups: [],
    count: 0,
    totals: totalsOf([]),
  }));
