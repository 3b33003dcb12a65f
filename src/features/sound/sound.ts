import type { SoundValues } from '../../engines/audio/sound/sound-analysis.ts';
import type { DetectedValues } from '../catalog/detected.ts';

/** The sound of a live track. */
export interface TrackVector {
  /** The row id of the track. */
  rowId: number;
  trackId: string;
  /** VECTOR_LENGTH numbers, of the current version of the analysis. */
  vector: Int8Array;
}

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
