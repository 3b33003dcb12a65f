import type { SoundValues } from '../../engines/audio/sound/sound-analysis.ts';
import type { DetectedValues } from '../catalog/detected.ts';

/** The least confidence of a tempo and of a key that a track gets (bench/sound). */
const TEMPO_CONFIDENCE = 0.3;
const KEY_CONFIDENCE = 0.3;

/** Returns the values that the analysis is sure of. */
export function detectedValues({ tempo, key }: SoundValues): DetectedValues {
  return {
    ...(tempo && tempo.confidence >= TEMPO_CONFIDENCE && { bpm: String(Math.round(tempo.bpm)) }),
    ...(key && key.confidence >= KEY_CONFIDENCE && { songKey: [key.name] }),
  };
}
