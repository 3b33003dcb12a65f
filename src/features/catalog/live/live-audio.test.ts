import { describe, expect, it } from 'vitest';
import { StaveError } from '../../../common/errors.ts';
import type { TrackState } from '../../availability/availability.ts';
import { LiveAudio } from './live-audio.ts';

const away = () => Promise.reject(new StaveError('unavailable', 'It is away.'));
const MEDIA = { audioKey: 'a.mp3', previewStart: null, previewKey: null, waveformKey: null };

type Stored = object | undefined;

/** Values of each method, as a store returns them. The track `x` has the parts `x 1` and `x 2`. */
const METHODS = {
  trackAudio: {
    ids: ['x', 'y'],
    valueAs: (_id: string, state: TrackState) => ({ state, ...MEDIA }),
  },
  trackParts: {
    ids: ['x', 'y'],
    valueAs: (id: string, state: TrackState) => {
      const part = { kind: 'bass', name: null, durationSeconds: 1, audioKey: 'a.mp3' };
      const stems = [{ ...part, id: `${id} 1`, sizeBytes: 1 }];
      return { id, slug: `slug-${id}`, state, parts: { stems, versions: [] } };
    },
  },
  partAudio: {
    ids: ['x 1', 'y 1'],
    valueAs: (id: string, state: TrackState) => ({ trackId: id[0]!, state, audioKey: 'a.mp3' }),
  },
};

describe.each(Object.keys(METHODS) as (keyof typeof METHODS)[])('LiveAudio.%s', (method) => {
  const { ids, valueAs } = METHODS[method];
  const [x, y] = ids as [string, string];
  const LIVE = valueAs(x, 'live');
  const DOWN = valueAs(x, 'taken_down');

  /** Returns the method of a LiveAudio over a store. */
  function open(stored: (id: string) => Promise<Stored>) {
    const read = (id: string) => stored(id) as Promise<never>;
    const live = new LiveAudio({ trackAudio: read, trackParts: read, partAudio: read });
    return { live, get: (id: string): Promise<Stored> => live[method](id) };
  }

  it('reads the store each time, and returns the last result while the store is unavailable', async () => {
    let stored: () => Promise<Stored> = async () => LIVE;
    const { get } = open(() => stored());
    expect(await get(x)).toBe(LIVE);
    stored = away;
    expect(await get(x)).toBe(LIVE);
    await expect(get(y)).rejects.toMatchObject({ kind: 'unavailable' });
    stored = async () => DOWN;
    expect(await get(x)).toBe(DOWN);
    stored = async () => undefined;
    expect(await get(x)).toBeUndefined();
  });

  it('rejects with any other error of the store', async () => {
    let stored: () => Promise<Stored> = async () => LIVE;
    const { get } = open(() => stored());
    await get(x);
    stored = () => Promise.reject(new Error('broken'));
    await expect(get(x)).rejects.toThrow('broken');
  });

  it('does not remember what changed, or what was read before its change', async () => {
    const { promise, resolve } = Promise.withResolvers<Stored>();
    const results = [async () => LIVE, () => promise, away, away];
    const { live, get } = open(() => results.shift()!());
    await get(x);
    const early = get(y);
    live.forget(['x']);
    resolve(valueAs(y, 'live'));
    expect(await early).toEqual(valueAs(y, 'live'));
    await expect(get(x)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(get(y)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('forgets one track, and keeps the others', async () => {
    let isAway = false;
    const { live, get } = open((id) => (isAway ? away() : Promise.resolve(valueAs(id, 'live'))));
    for (const id of [x, y, x]) await get(id);
    live.forget(['x', 'z']);
    isAway = true;
    await expect(get(x)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await get(y)).toEqual(valueAs(y, 'live'));
  });
});

describe('LiveAudio', () => {
  it('forgets all parts of a track, and remembers later ones', async () => {
    let isAway = false;
    const { valueAs } = METHODS.partAudio;
    const read = (id: string) =>
      (isAway ? away() : Promise.resolve(valueAs(id, 'live'))) as Promise<never>;
    const live = new LiveAudio({ trackAudio: read, trackParts: read, partAudio: read });
    for (const id of ['x 1', 'x 2']) await live.partAudio(id);
    live.forget(['x']);
    await live.partAudio('x 1');
    isAway = true;
    expect(await live.partAudio('x 1')).toEqual(valueAs('x 1', 'live'));
    await expect(live.partAudio('x 2')).rejects.toMatchObject({ kind: 'unavailable' });
    live.forget(['x']);
    await expect(live.partAudio('x 1')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
