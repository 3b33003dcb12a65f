import { expect, it } from 'vitest';
import { canStartPostgres } from '../harness/postgres-programs.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { runWebhooks } from './webhooks/run-webhooks.ts';

/** `npm run scenarios -- --webhooks 100000` sends a hundred thousand. */
const MESSAGES = 3_000;

it.skipIf(ON_POSTGRES && !canStartPostgres)(
  'messages are not lost by two kills of the sender and a receiver that refuses a fifth',
  { timeout: 300_000 },
  async () => {
    const database = ON_POSTGRES ? 'PostgreSQL' : 'SQLite';
    const report = await runWebhooks({ messages: MESSAGES, endpoints: 30, database });
    expect(report).toMatchObject({ messages: MESSAGES, lost: 0, brokenLinks: 0 });
    expect(report.refused).toBeGreaterThan(MESSAGES / 10);
  },
);
