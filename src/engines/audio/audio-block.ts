/** Consecutive decoded samples. All channels have the same length, which is at least 1. */
export interface AudioBlock {
  /** Samples per second and channel. */
  sampleRate: number;
  /** At least one channel. Full scale is -1 to 1, and samples of float formats may be outside of it. */
  channels: readonly Float32Array[];
}

/** The reason why no renditions can be made of an audio file. The message is for people, and contains no path. */
export class RenditionProblem extends Error {
  /**
   * `format`: this node lacks the decoder, so another node may decode the file. `thread`: the thread ended or took too
   * long, or a program crashed, perhaps not because of the file. `interrupted`: something other than the file ended the
   * program that decodes it. `silent`: there is nothing to analyze.
   */
  readonly kind: 'file' | 'silent' | 'format' | 'thread' | 'interrupted';

  constructor(message: string, kind: RenditionProblem['kind'] = 'file') {
    super(message);
    this.name = 'RenditionProblem';
    this.kind = kind;
  }
}

/** These bound the memory of a clip. */
const MIN_SAMPLE_RATE = 1000;
const MAX_SAMPLE_RATE = 384_000;
const MAX_CHANNELS = 64;

/** Throws a RenditionProblem if the rate or the number of channels is not supported. */
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
