import type { TrackAudio } from '#client';

const CHANNELS: Readonly<Record<number, string>> = { 1: 'mono', 2: 'stereo' };

/** The delivered file in a line: `WAV, 44.1 kHz, 16 bit, stereo, 1,411 kbit/s, 32.5 MB`, without what is unknown. */
export function audioText({
  format,
  sampleRate,
  bitDepth,
  channels,
  bitrate,
  bytes,
}: TrackAudio): string {
  const parts = [
    format.toUpperCase(),
    sampleRate && `${sampleRate / 1000} kHz`,
    bitDepth && `${bitDepth} bit`,
    channels && (CHANNELS[channels] ?? `${channels} channels`),
    bitrate && `${Math.round(bitrate / 1000).toLocaleString()} kbit/s`,
    bytes && megabytes(bytes),
  ];
  return parts.filter(Boolean).join(', ');
}

export function megabytes(bytes: number): string {
  return `${Math.max(0.1, bytes / 1e6).toLocaleString(undefined, { maximumFractionDigits: 1 })} MB`;
}
