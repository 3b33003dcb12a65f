/** Consecutive decoded samples. All channels have the same length, which is at least 1. */
export interface AudioBlock {
  /** Samples per second and channel. */
  sampleRate: number;
  /** At least one channel. Full scale is -1 to 1, and samples of float formats may be outside of it. */
  channels: readonly Float32Array[];
}

/** Why no renditions can be made of an audio file. The message is for people, and names no path. */
export class RenditionProblem extends Error {
  /**
   * `format` if this node lacks the decoder of the format, so that another node may decode the file; `thread` if the
   * thread ended or took too long, or a program crashed, which may have another cause than the file; `interrupted` if
   * something else than the file ended the program that decoded it; otherwise `file`.
   */
  readonly kind: ProblemKind;

  constructor(message: string, kind: ProblemKind = 'file') {
    super(message);
    this.name = 'RenditionProblem';
    this.kind = kind;
  }
}

type ProblemKind = 'file' | 'format' | 'thread' | 'interrupted';

/** Bounds on what a header may declare. They bound the memory of a clip. */
const MIN_SAMPLE_RATE = 1000;
const MAX_SAMPLE_RATE = 384_000;
const MAX_CHANNELS = 64;

/** Throws a RenditionProblem if the rate or the number of channels is outside of what is supported. */
export function checkFormat(sampleRate: number, channels: number): void {
  if (!(sampleRate >= MIN_SAMPLE_RATE && sampleRate <= MAX_SAMPLE_RATE)) {
    throw new RenditionProblem(
      `the sample rate must be ${MIN_SAMPLE_RATE} to ${MAX_SAMPLE_RATE} Hz, not ${sampleRate}`,
    );
  }
  if (!(channels >= 1 && channels <= MAX_CHANNELS)) {
    throw new RenditionProblem(
      `the audio must have 1 to ${MAX_CHANNELS} channels, not ${channels}`,
    );
  }
}
