import { describe, expect, it } from 'vitest';
import { StaveError } from '../common/errors.ts';
import { LiveAudio } from './live-audio.ts';
import type { TrackAudio } from './store.ts';

describe('LiveAudio', () => {
  const LIVE: TrackAudio = { state: 'live', audioKey: 'a.mp3' };
  const DOWN: TrackAudio = { state: 'taken_down', audioKey: 'a.mp3' };
  const away = () => Promise.reject(new StaveError('unavailable', 'It is away.'));

  it('reads the store each time, and remembers for the time when it is away', async () => {
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

  it('passes other failures on', async () => {
    let stored: () => Promise<TrackAudio | undefined> = async () => LIVE;
    const audio = new LiveAudio({ trackAudio: () => stored() });
    await audio.trackAudio('x');
    stored = () => Promise.reject(new Error('broken'));
    await expect(audio.trackAudio('x')).rejects.toThrow('broken');
  });

  it('forgets what has changed, and what was read before a change', async () => {
    const { promise, resolve } = Promise.withResolvers<TrackAudio>();
    const answers = [async () => LIVE, () => promise, away, away];
    const audio = new LiveAudio({ trackAudio: () => answers.shift()!() });
    await audio.trackAudio('x');
    const early = audio.trackAudio('y');
    audio.forget(['x']);
    resolve(LIVE);
    expect(await early).toBe(LIVE);
    await expect(audio.trackAudio('x')).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(audio.trackAudio('y')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
