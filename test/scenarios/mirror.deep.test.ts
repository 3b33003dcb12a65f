import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { renewLogEpoch, writeCursor } from '../../src/engines/change-log/positions.ts';
import type { Store } from '../../src/features/store.ts';
import { delivery } from '../harness/catalog.ts';
import { openStoreOf, type Serving, serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { differencesOf, Mirror } from '../harness/mirror.ts';
import { testRandom } from '../harness/test-random.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';

/** More than the tracks before the first mark of a snapshot. */
const TRACKS = 10_500;
/** Ten a second for an hour. */
const CHANGES = 36_000;
const KILLS = 8;
const BY = 'test:mirror';

/** Updates, creates, takes down and restores tracks until there were enough changes and `isOver`. Returns their number. */
async function write(store: Store, isOver: () => boolean): Promise<number> {
  const { catalog } = store;
  const random = testRandom('the changes of a mirrored catalog');
  let changes = 0;
  for (let round = 1; changes < CHANGES || !isOver(); round++) {
    const session = await catalog.openDelivery(BY, newId());
    const numbers = Array.from({ length: 300 }, () => random.integer(0, TRACKS - 1));
    const updated = [...new Set(numbers)].map((number) =>
      delivery(number, { bpm: String(1 + (round % 300)), name: `Version ${round} “${number}”` }),
    );
    const outcomes = await session.deliver([...updated, delivery(TRACKS + round)]);
    await session.close();
    changes += outcomes.filter((outcome) => outcome !== 'unchanged').length;
    for (const number of numbers.slice(0, 4)) {
      await setTrackState(store, delivery(number).id, 'taken_down', BY);
      changes++;
    }
    for (const number of numbers.slice(0, 3)) {
      await setTrackState(store, delivery(number).id, 'live', BY);
      changes++;
    }
  }
  return changes;
}

it('a mirror equals the catalog after an hour of changes, and kill -9 of it and of the service', {
  timeout: 600_000,
}, async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const terms = ['--scopes', 'tracks,changes', '--features', 'changes', '--rate-limit', '1000000'];
  const client = await staveJson(data, ['clients', 'create', '--name', 'Mirror', ...terms]);
  const store = await openStoreOf(data);
  const session = await store.catalog.openDelivery(BY, newId());
  await session.deliver(Array.from({ length: TRACKS }, (_, number) => delivery(number)));
  await session.close();

  const port = await freePort();
  const start = () => serve(data, { PORT: String(port) });
  const random = testRandom('kills of a mirror and its service');
  let serving: Serving = await start();
  const { clientId, liveSecret } = client;
  await using mirror = new Mirror(folder.at('copy.db'), serving.url, {
    clientId,
    secret: liveSecret,
  });
  let kills = 0;
  const written = write(store, () => kills === KILLS);
  mirror.start();
  for (; kills < KILLS; kills++) {
    // The first kill meets the snapshot, and the others the changes.
    await sleep(random.between(50, kills === 0 ? 700 : 2_500));
    if (kills % 2 === 0) {
      await mirror.kill();
      mirror.start();
    } else {
      await serving.stop('SIGKILL');
      serving = await start();
    }
    // As after a restore: the mirror starts over, beside the changes.
    if (kills === KILLS / 2) await renewLogEpoch(store.settings);
    expect(mirror.isRunning, mirror.output).toBe(true);
  }
  const changes = await written;
  const { epoch, head } = await store.changes.bounds();
  await store.close();
  await until(() => mirror.position() >= head, 'the mirror to be complete', 120_000);

  const token = await serving.token(clientId, liveSecret);
  const get = async (path: string) => {
    const { status, body } = await serving.get(path, token);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body.error)}`);
    return body.data;
  };
  // A snapshot, unlike the feed, may be ahead of the list.
  const beforeLast = writeCursor({ epoch: epoch!, seq: head - 1 });
  const last = async () => (await get(`/v1/tracks/changes?cursor=${beforeLast}`)).items;
  await until(async () => (await last()).length > 0, 'the last change in the list');
  const { compared, differing } = await differencesOf(mirror, get);
  // Shows whether the copy is wrong, or the list was late.
  const later = differing.length === 0 ? [] : (await differencesOf(mirror, get)).differing;
  await serving.stop('SIGKILL');
  expect({ differing, later }).toEqual({ differing: [], later: [] });
  expect(compared).toBeGreaterThan(TRACKS - 1_000);
  expect(changes).toBeGreaterThanOrEqual(CHANGES);
  expect(mirror.starts).toBe(1 + KILLS / 2);
});
