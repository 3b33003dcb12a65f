import { it } from 'vitest';
import { expectEightAtATime } from '../../../test/harness/eight-at-a-time.ts';
import { totalsOf } from '../../licensing/usage-summary.ts';
import { readUsageSummary } from './read-usage-summary.ts';

it('makes eight summaries for a client at a time, and those of other clients', () =>
  expectEightAtATime('readUsageSummary', (summary) => readUsageSummary({ usage: { summary } }), {
    groups: [],
    count: 0,
    totals: totalsOf([]),
  }));
