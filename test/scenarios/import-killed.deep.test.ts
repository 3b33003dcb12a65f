import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import {
  openStoreOf,
  serve,
  someTracks,
  start,
  staveJson,
  temporaryFolder,
} from '../harness/cli.ts';
import { until } from '../harness/until.ts';

/** The file has more than 2 MB, so that a thread writes them. */
const TRACKS = 30_000;
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test('repeating an import that was ended by signals, beside a running service, completes it', {
  timeout: 900_000,
}, async () => {
  const data = folder.at('data');
  const file = folder.at('catalog.ndjson');
  writeFileSync(file, someTracks(TRACKS));
  await using serving = await serve(data);
  // The requests that wait for the index would use up the default limit on a busy machine.
  const terms = ['--name', 'P', '--scopes', 'tracks', '--rate-limit', '1000000'];
  const client = await staveJson(data, ['clients', 'create', ...terms]);
  const store = await openStoreOf(data);
  const live = async () => (await store.catalog.counts()).live;

  let kept = 0;
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
    const killed = start(data, ['import', file, '--source', 'label']);
    const ended = once(killed, 'close');
    await until(async () => (await live()) > kept + 1000, 'the import to store tracks');
    expect(getPriority(killed.pid!)).toBe(Math.max(getPriority(), 5));
    killed.kill(signal);
    expect(await ended).toEqual([null, signal]);

    kept = await live();
    expect(kept).toBeLessThan(TRACKS);
    await store.check(true);
    expect(await store.changes.since(0, ['track'], TRACKS + 1)).toHaveLength(kept);
  }

  const repeated = await staveJson(data, ['import', file, '--source', 'label']);
  expect(repeated).toEqual({
    read: TRACKS,
    created: TRACKS - kept,
    updated: 0,
    unchanged: kept,
    rejected: 0,
  });
  const head = await store.changes.head();
  const third = await staveJson(data, ['import', file, '--source', 'label']);
  expect(third).toEqual({ read: TRACKS, created: 0, updated: 0, unchanged: TRACKS, rejected: 0 });
  expect(await store.changes.head()).toBe(head);

  const token = await serving.token(client.clientId, client.liveSecret);
  await until(async () => {
    const { body } = await serving.get('/v1/tracks?pageSize=1', token);
    return body.data.totalRecords === TRACKS;
  }, 'the service to show every track');
  await store.close();
});
