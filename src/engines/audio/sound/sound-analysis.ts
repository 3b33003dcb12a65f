/** Of the analysis. Increase it when it finds something else in the same audio, so that all audio is analyzed again. */
export const ANALYSIS_VERSION = 1;

export const VECTOR_LENGTH = 64;

/** What the analysis finds in the audio of a file. A confidence is 0 to 1. */
export interface SoundAnalysis {
  /** Beats per minute. Absent if there is no regular beat. */
  tempo?: { bpm: number; confidence: number };
  /** The tonic and `major` or `minor`: `F# minor`. Absent if the audio has no pitches. */
  key?: { name: string; confidence: number };
  /** The integrated loudness of EBU R 128, in LUFS; -70 if all of it is quieter. */
  loudness: number;
  /** 0 to 1: the short-term loudness of the loud passages, from -40 LUFS to -6 LUFS. */
  energy: number;
  /** 0 to 1: the spectral centroid, from 200 Hz to 6,400 Hz on a logarithmic scale. */
  brightness: number;
  /** 0 to 1: how much of the spectrum's energy is in percussive rather than sustained sound. */
  percussiveness: number;
  /**
   * VECTOR_LENGTH numbers that describe the timbre, the harmony and the rhythm. The mean of each over a collection of music
   * is 0, so that the cosine of two vectors measures how much the sounds resemble each other.
   */
  vector: Int8Array;
}

export type SoundValues = Omit<SoundAnalysis, 'vector'>;
