import { analysesOf } from '../../src/features/sound/store/sound-job-store.ts';
import type { Store } from '../../src/features/store.ts';

/** Gives tracks sounds, as the analysis of their audio does. */
export async function giveSounds(
  { soundJobs, soundClaims, sounds }: Pick<Store, 'soundJobs' | 'soundClaims' | 'sounds'>,
  vectors: ReadonlyMap<string, Int8Array>,
): Promise<void> {
  await soundJobs.add([...vectors.keys()].flatMap((audioKey) => analysesOf({ audioKey } as never)));
  for (;;) {
    const claim = await soundClaims.claim('test', ['wav'], 60_000);
    if (claim === undefined) break;
    const vector = vectors.get(claim.audioKey)!;
    await sounds.finish(claim, {
      ...{ loudness: -14, energy: 0.5, brightness: 0.5, percussiveness: 0.5 },
      vector,
    });
  }
  await sounds.publish();
}

/** A vector in a plane, at an angle from another one there: their likeness is the cosine of the angle. */
export function soundAt(degrees: number): Int8Array {
  const vector = new Int8Array(64);
  const angle = (degrees * Math.PI) / 180;
  vector[3] = Math.round(120 * Math.cos(angle));
  vector[40] = Math.round(120 * Math.sin(angle));
  return vector;
}
