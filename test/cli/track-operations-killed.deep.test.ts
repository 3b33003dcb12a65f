import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  environment,
  MAIN,
  openStoreOf,
  someTracks,
  staveJson,
  temporaryFolder,
} from '../harness/cli.ts';
import { until } from '../harness/until.ts';

const TRACKS = 20_000;

it('a takedown of many tracks is completed by the same command after a kill', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('tracks.ndjson'), someTracks(TRACKS));
  await staveJson(folder.path, ['import', folder.at('tracks.ndjson'), '--source', 'label-a']);
  const args = ['tracks', 'takedown', '--source', 'label-a', '--yes', '--reason', 'claim'];
  const store = await openStoreOf(folder.path);
  try {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: environment(folder.path),
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await until(async () => (await store.catalog.counts()).takenDown > 0, 'the first ones');
    child.kill('SIGKILL');
    await ended;
    const { takenDown } = await store.catalog.counts();
    expect(takenDown).toBeLessThan(TRACKS);
    expect(await staveJson(folder.path, args)).toMatchObject({
      ...{ selectedCount: TRACKS, changedCount: TRACKS - takenDown, unchangedCount: takenDown },
    });
    expect(await store.catalog.counts()).toMatchObject({ live: 0, takenDown: TRACKS });
    const changes = await store.changes.latest(2 * TRACKS, { kind: 'taken_down', text: 'claim' });
    expect(new Set(changes.map(({ entityId }) => entityId)).size).toBe(TRACKS);
    expect(changes).toHaveLength(TRACKS);
  } finally {
    await store.close();
  }
});
