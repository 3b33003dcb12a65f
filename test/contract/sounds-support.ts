import { type SoundAnalysis, VECTOR_LENGTH } from '../../src/engines/audio/sound/sound-analysis.ts';
import { analysesOf } from '../../src/features/sound/store/sound-job-store.ts';
import type { Store } from '../../src/features/store.ts';
import { audioKey, MINUTE } from './renditions-support.ts';

/** The result of an analysis that is sure of a tempo of 120 and of A minor. */
export const found = (change: Partial<SoundAnalysis> = {}): SoundAnalysis => ({
  tempo: { bpm: 119.8, confidence: 0.9 },
  key: { name: 'A minor', confidence: 0.9 },
  ...{ loudness: -16, energy: 0.7, brightness: 0.5, percussiveness: 0.4 },
  vector: Int8Array.from({ length: VECTOR_LENGTH }, (_, i) => i - 32),
  ...change,
});

export const jobOf = (key: string) =>
  analysesOf({ audioKey: key, previewStart: null, previewKey: null, waveformKey: null });

/** Analyzes an audio file, as a node does, without publishing what is found. */
export async function analyze(store: Store, key: string, result = found()): Promise<boolean> {
  await store.soundJobs.add(jobOf(key));
  const claim = await store.soundClaims.claim('node', ['mp3'], MINUTE);
  return claim !== undefined && store.sounds.finish(claim, result);
}

/** Calls every method of the stores of sounds, so that their statements are prepared. */
export async function useSounds({ sounds, soundJobs, soundClaims }: Store): Promise<void> {
  const key = audioKey(1);
  await soundJobs.add(jobOf(key));
  await soundJobs.unmade();
  await soundJobs.queuedFormats();
  await soundJobs.endPauses();
  const claim = (await soundClaims.claim('a', ['mp3'], MINUTE))!;
  await soundClaims.renew(claim, MINUTE);
  await soundClaims.postpone(claim, 'later', 0);
  await soundClaims.release((await soundClaims.claim('a', ['mp3'], MINUTE))!);
  await soundClaims.fail((await soundClaims.claim('a', ['mp3'], MINUTE))!, 'bad', false);
  await soundJobs.requeueFailed();
  await soundJobs.add(jobOf(audioKey(2)));
  await sounds.finish((await soundClaims.claim('a', ['mp3'], MINUTE))!, found());
  await sounds.publish();
  await sounds.fill([key]);
  await sounds.count();
  await sounds.find(key);
  await sounds.job(key);
  await soundJobs.dropQueued([key]);
  await soundJobs.dropUnnamed();
  await sounds.dropUnnamed();
}
