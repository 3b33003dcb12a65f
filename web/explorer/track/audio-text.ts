import type { Provenance, TrackAudio, TrackStream } from '#client';
import { type Key, locale, number, t } from '../texts/texts.ts';

const CHANNELS: Readonly<Record<number, Key>> = { 1: 'mono', 2: 'stereo' };

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
    channels && (CHANNELS[channels] ? t(CHANNELS[channels]) : t('channels', { n: channels })),
    ...rateAndSize(bitrate, bytes),
  ];
  return parts.filter(Boolean).join(', ');
}

/** What is streamed, in a line: `MP3, 192 kbit/s, 4.4 MB`. */
export function streamText({ contentType, bitrate, bytes, isOriginal }: TrackStream): string {
  const format = FORMATS[contentType] ?? contentType;
  const original = isOriginal && t('deliveredFile');
  return [format, ...rateAndSize(bitrate, bytes), original].filter(Boolean).join(', ');
}

const FORMATS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'MP3',
  'audio/mp4': 'MP4',
  'audio/aac': 'AAC',
  'audio/flac': 'FLAC',
  'audio/wav': 'WAV',
  'audio/aiff': 'AIFF',
  'audio/ogg': 'Ogg',
};

function rateAndSize(bitrate: number | null, bytes: number | null): (string | 0 | null)[] {
  return [bitrate && `${number(Math.round(bitrate / 1000))} kbit/s`, bytes && megabytes(bytes)];
}

/** What machines made of a track, in a line; empty if it is unknown. */
export function aiText({ ai, aiParts }: Provenance): string {
  const parts = aiParts.length === 0 ? '' : `: ${aiParts.join(', ')}`;
  return ai === 'unknown' ? '' : (AI_NAMES[ai] === undefined ? ai : t(AI_NAMES[ai])) + parts;
}

const AI_NAMES: Readonly<Record<string, Key>> = {
  none: 'aiNone',
  assisted: 'aiAssisted',
  generated: 'aiGenerated',
};

export function megabytes(bytes: number): string {
  return `${Math.max(0.1, bytes / 1e6).toLocaleString(locale(), { maximumFractionDigits: 1 })} MB`;
}
