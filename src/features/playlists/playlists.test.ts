import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveries, importAll } from '../../../test/harness/deliveries.ts';
import { readConfig } from '../../app/config/config.ts';
import { type AppContext, openAppContext } from '../../app/open/context.ts';
import { systemClock } from '../../common/clock.ts';
import { silentLog } from '../../common/log.ts';
import {
  addTracks,
  createPlaylist,
  findPlaylist,
  removeTracks,
  reorderTracks,
  translatePlaylist,
} from './playlists.ts';

const folder = mkdtempSync(join(tmpdir(), 'stave-playlists-'));
const open = () =>
  openAppContext({
    config: readConfig({ STAVE_DATA: folder }),
    clock: systemClock,
    log: silentLog,
  });
const batch = deliveries(0, 6);
const all = batch.map(({ id }) => id);
let context: AppContext;
beforeAll(async () => {
  context = await open();
  await importAll(context.store, batch);
});
afterAll(async () => {
  await context.close();
  rmSync(folder, { recursive: true });
});

describe('the texts of a playlist in another language', () => {
  const translate = async (name: string, description: string | null = null) => {
    const { playlist } = await translatePlaylist(context, 'translated', 'de', {
      name,
      description,
    });
    const texts = await context.store.languages.playlistTexts([playlist.id], ['de']);
    return texts.get(playlist.id)![0]!;
  };
  beforeAll(() => createPlaylist(context, { name: 'Translated', tracks: [] }));

  it('are in the same form as the original', async () => {
    expect(await translate(' Spa\u0308t ', ' Ru\u0308hig ')).toEqual({
      language: 'de',
      name: 'Spät',
      description: 'Rühig',
    });
  });

  it.each([
    ['', null],
    [' ', null],
    ['a'.repeat(201), null],
    ['Spät', 'a'.repeat(2_001)],
  ])('are refused as the original is: %j, %j', async (name, description) => {
    const original = { name, tracks: [], ...(description !== null && { description }) };
    await expect(createPlaylist(context, original)).rejects.toMatchObject({
      kind: 'invalid_request',
    });
    await expect(translate(name, description)).rejects.toMatchObject({ kind: 'invalid_request' });
  });
});

const track = fc.constantFrom(...all);
const tracks = fc.uniqueArray(track, { minLength: 1, maxLength: 3 });
const position = fc.integer({ min: 0, max: 7 });

/** An edit, and its result for a plain list: undefined if the edit must be refused. */
const edit = fc.oneof(
  fc.record({ tracks, position: fc.option(position, { nil: undefined }) }).map((given) => ({
    run: (slug: string) => addTracks(context, slug, given.tracks, given.position),
    model: (list: string[]) => {
      const at = given.position === undefined ? list.length : given.position - 1;
      const fits = at >= 0 && at <= list.length && !given.tracks.some((id) => list.includes(id));
      return fits ? list.toSpliced(at, 0, ...given.tracks) : undefined;
    },
  })),
  tracks.map((given) => ({
    run: (slug: string) => removeTracks(context, slug, given),
    model: (list: string[]) =>
      given.every((id) => list.includes(id)) ? list.filter((id) => !given.includes(id)) : undefined,
  })),
  fc.record({ track, position }).map((given) => ({
    run: (slug: string) => reorderTracks(context, slug, given),
    model: (list: string[]) => {
      const fits =
        list.includes(given.track) && given.position >= 1 && given.position <= list.length;
      const others = list.filter((id) => id !== given.track);
      return fits ? others.toSpliced(given.position - 1, 0, given.track) : undefined;
    },
  })),
  fc.shuffledSubarray(all).map((given) => ({
    run: (slug: string) => reorderTracks(context, slug, { tracks: given }),
    model: (list: string[]) =>
      given.toSorted().join() === list.toSorted().join() ? given : undefined,
  })),
);

describe('editing a playlist', () => {
  it('has the same result as on a plain list, or is refused completely', async () => {
    const property = fc.asyncProperty(
      fc.shuffledSubarray(all),
      fc.array(edit, { maxLength: 6 }),
      async (start, edits) => {
        const { slug } = await createPlaylist(context, { name: 'Edited', tracks: start });
        let list = [...start];
        for (const { run, model } of edits) {
          const wanted = model(list);
          const done = await run(slug).then(
            ({ trackIds }) => trackIds,
            () => undefined,
          );
          expect(done).toEqual(wanted);
          list = wanted ?? list;
          expect((await findPlaylist(context, slug)).trackIds).toEqual(list);
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('loses no edit of two concurrent processes', async () => {
    const { slug } = await createPlaylist(context, { name: 'Together', tracks: [] });
    const contexts = await Promise.all(all.map(open));
    await Promise.all(contexts.map((one, i) => addTracks(one, slug, [all[i]!])));
    await Promise.all(contexts.map((one) => one.close()));
    expect((await findPlaylist(context, slug)).trackIds.toSorted()).toEqual(all.toSorted());
  });
});
