import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStartPostgres } from '../../../../../test/harness/postgres-programs.ts';
import { type PostgresServer, startPostgres } from '../../../../../test/harness/postgres-server.ts';
import { until } from '../../../../../test/harness/until.ts';
import { ChangeListener } from './listener.ts';

describe.skipIf(!canStartPostgres)('ChangeListener', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  async function sql<T>(text: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      return (await client.query(text)).rows as T[];
    } finally {
      await client.end();
    }
  }
  const listening = async () =>
    (await sql(`SELECT 1 FROM pg_stat_activity WHERE query = 'LISTEN stave_changes'`)).length;

  it('calls its subscribers after a notification, on one connection for all of them', async () => {
    const listener = new ChangeListener(server.url);
    const wakes = [0, 0];
    const leave = listener.subscribe(() => wakes[0]!++);
    leave();
    listener.subscribe(() => wakes[0]!++)();
    listener.subscribe(() => wakes[0]!++);
    listener.subscribe(() => wakes[1]!++);
    await until(() => wakes.every((count) => count > 0));
    // This is longer than the pause before the next attempt.
    await sleep(600);
    expect(await listening()).toBe(1);
    const before = [...wakes];
    await sql('NOTIFY stave_changes');
    await until(() => wakes.every((count, i) => count > before[i]!));
    listener.stop();
    await until(async () => (await listening()) === 0);
  });

  it('connects again after its connection was terminated', async () => {
    const listener = new ChangeListener(server.url);
    let wakes = 0;
    listener.subscribe(() => wakes++);
    await until(() => wakes > 0);
    await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`);
    const before = wakes;
    await until(() => wakes > before);
    listener.stop();
  });

  it('leaves no connection open if it is stopped while it connects', async () => {
    const handles = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
    await until(() => handles() === 0);
    let wakes = 0;
    server.pause();
    try {
      const listener = new ChangeListener(server.url);
      listener.subscribe(() => wakes++);
      await until(() => handles() > 0);
      listener.stop();
    } finally {
      server.resume();
    }
    await until(() => handles() === 0);
    expect(await listening()).toBe(0);
    expect(wakes).toBe(0);
  });
});
