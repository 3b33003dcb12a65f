import { expect, it } from 'vitest';
import { canStartPostgres } from '../harness/postgres-programs.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { faultsOf, runFeed } from './feed/run-feed.ts';

/** `npm run scenarios -- --feed 1000000` runs it with a million. */
const CHANGES = ON_POSTGRES ? 12_000 : 20_000;

it.skipIf(ON_POSTGRES && !canStartPostgres)(
  'the feed gives every change to readers by cursor, by waiting and by time, beside 32 writers',
  { timeout: 900_000 },
  async () => {
    const database = ON_POSTGRES ? 'PostgreSQL' : 'SQLite';
    const report = await runFeed({ changes: CHANGES, writers: 32, database });
    const text = JSON.stringify(report);
    expect(faultsOf(report), text).toBe(0);
    expect(report.changes).toBeGreaterThanOrEqual(CHANGES);
    expect(report.readers, text).toHaveLength(3);
    for (const { events } of report.readers) expect(events).toBeGreaterThanOrEqual(report.changes);
  },
);
