import { describe, expect, it } from 'vitest';
import { StaveError } from '../common/errors.ts';
import { LiveAudio } from './live-audio.ts';
import type { TrackAudio } from './store.ts';

describe('LiveAudio', () => {
  const made = { previewStart: null, previewKey: null, waveformKey: null };
  const LIVE: TrackAudio = { state: 'live', audioKey: 'a.mp3', ...made };
  const DOWN: TrackAudio = { state: 'taken_down', audioKey: 'a.mp3', ...made };
  const away = () => Promise.reject(new StaveError('unavailable', 'It is away.'));

  it('reads the store each time, and returns the last result while the store is unavailable', async () => {
    let stored: () => Promise<TrackAudio | undefined> = async () => LIVE;
    const audio = new LiveAudio({ trackAudio: () => stored() });
    expect(await audio.trackAudio('x')).toBe(LIVE);
    stored = away;
    expect(await audio.trackAudio('x')).toBe(LIVE);
    await expect(audio.trackAudio('y')).rejects.toMatchObject({ kind: 'unavailable' });
    stored = async () => DOWN;
    expect(await audio.trackAudio('x')).toBe(DOWN);
    stored = async () => undefined;
    expect(await audio.trackAudio('x')).toBeUndefined();
  });

  it('rejects with any other error of the store', async () => {
    let stored: () => Promise<TrackAudio | undefined> = async () => LIVE;
    const audio = new LiveAudio({ trackAudio: () => stored() });
    await audio.trackAudio('x');
    stored = () => Promise.reject(new Error('broken'));
    await expect(audio.trackAudio('x')).rejects.toThrow('broken');
  });

  it('does not remember a track that changed, or that was read before its change', async () => {
    const { promise, resolve } = Promise.withResolvers<TrackAudio>();
    const results = [async () => LIVE, () => promise, away, away];
    const audio = new LiveAudio({ trackAudio: () => results.shift()!() });
    await audio.trackAudio('x');
    const early = audio.trackAudio('y');
    audio.forget(['x']);
    resolve(LIVE);
    expect(await early).toBe(LIVE);
    await expect(audio.trackAudio('x')).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(audio.trackAudio('y')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
