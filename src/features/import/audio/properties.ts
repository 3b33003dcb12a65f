import type { IFormat } from 'music-metadata';
import type { AudioEncoding, AudioProperties } from '../../catalog/audio-properties.ts';

/** What the headers of a file tell, whatever its size. */
export type HeaderProperties = Omit<AudioProperties, 'bytes'> & AudioEncoding;

/** A lossy codec has no depth: what some parsers tell is that of the decoded samples. */
export function propertiesOf(format: IFormat): Omit<AudioProperties, 'bytes'> {
  const { sampleRate, numberOfChannels, bitsPerSample, bitrate, lossless } = format;
  return {
    sampleRate: wholeOrNull(sampleRate),
    channels: wholeOrNull(numberOfChannels),
    bitDepth: lossless === true ? wholeOrNull(bitsPerSample) : null,
    bitrate: wholeOrNull(bitrate),
  };
}

/** The greatest number that a header may claim: 2 GHz, or 2 Gbit/s. */
const MAX = 2_147_483_647;

function wholeOrNull(value: number | undefined): number | null {
  return value !== undefined && value >= 1 && value <= MAX ? Math.round(value) : null;
}
