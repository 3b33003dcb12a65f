import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveries, importAll } from '../../test/contract/deliveries.ts';
import { readConfig } from '../config.ts';
import { type House, openHouse } from '../house.ts';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import {
  addTracks,
  createPlaylist,
  findPlaylist,
  removeTracks,
  reorderTracks,
} from './playlists.ts';

const folder = mkdtempSync(join(tmpdir(), 'stave-playlists-'));
const open = () =>
  openHouse({
    config: readConfig({ STAVE_DATA: folder }),
    clock: systemClock,
    log: silentLog,
  });
const batch = deliveries(0, 6);
const all = batch.map(({ id }) => id);
let house: House;
beforeAll(async () => {
  house = await open();
  await importAll(house.store, batch);
});
afterAll(async () => {
  await house.close();
  rmSync(folder, { recursive: true });
});

const track = fc.constantFrom(...all);
const tracks = fc.uniqueArray(track, { minLength: 1, maxLength: 3 });
const position = fc.integer({ min: 0, max: 7 });

/** An edit, and what it makes of a plain list; undefined where it must be refused. */
const edit = fc.oneof(
  fc.record({ tracks, position: fc.option(position, { nil: undefined }) }).map((given) => ({
    run: (slug: string) => addTracks(house, slug, given.tracks, given.position),
    model: (list: string[]) => {
      const at = given.position === undefined ? list.length : given.position - 1;
      const fits = at >= 0 && at <= list.length && !given.tracks.some((id) => list.includes(id));
      return fits ? list.toSpliced(at, 0, ...given.tracks) : undefined;
    },
  })),
  tracks.map((given) => ({
    run: (slug: string) => removeTracks(house, slug, given),
    model: (list: string[]) =>
      given.every((id) => list.includes(id)) ? list.filter((id) => !given.includes(id)) : undefined,
  })),
  fc.record({ track, position }).map((given) => ({
    run: (slug: string) => reorderTracks(house, slug, given),
    model: (list: string[]) => {
      const fits =
        list.includes(given.track) && given.position >= 1 && given.position <= list.length;
      const others = list.filter((id) => id !== given.track);
      return fits ? others.toSpliced(given.position - 1, 0, given.track) : undefined;
    },
  })),
  fc.shuffledSubarray(all).map((given) => ({
    run: (slug: string) => reorderTracks(house, slug, { tracks: given }),
    model: (list: string[]) =>
      given.toSorted().join() === list.toSorted().join() ? given : undefined,
  })),
);

describe('editing a playlist', () => {
  it('does what it does to a plain list, and refuses the rest whole', async () => {
    const property = fc.asyncProperty(
      fc.shuffledSubarray(all),
      fc.array(edit, { maxLength: 6 }),
      async (start, edits) => {
        const { slug } = await createPlaylist(house, { name: 'Edited', tracks: start });
        let list = [...start];
        for (const { run, model } of edits) {
          const wanted = model(list);
          const done = await run(slug).then(
            ({ trackIds }) => trackIds,
            () => undefined,
          );
          expect(done).toEqual(wanted);
          list = wanted ?? list;
          expect((await findPlaylist(house, slug)).trackIds).toEqual(list);
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('loses no edit of two processes at once', async () => {
    const { slug } = await createPlaylist(house, { name: 'Together', tracks: [] });
    const houses = await Promise.all(all.map(open));
    await Promise.all(houses.map((one, i) => addTracks(one, slug, [all[i]!])));
    await Promise.all(houses.map((one) => one.close()));
    expect((await findPlaylist(house, slug)).trackIds.toSorted()).toEqual(all.toSorted());
  });
});
