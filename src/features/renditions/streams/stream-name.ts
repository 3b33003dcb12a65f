import { hash } from 'node:crypto';
import type { AudioLength } from '../../../engines/audio/mp3/encode-mp3.ts';
import type { Mp3Kbps } from '../../../engines/audio/mp3/mp3-layout.ts';
import type { RenditionName } from '../rendition.ts';

/** The audio of a track, and its length if its headers tell it. */
export interface StreamSource {
  audioKey: string;
  sampleRate: number | null;
  /** Of each channel. */
  samples: number | null;
}

/** What the bytes of a stream depend on, besides the audio. */
export interface StreamRecipe {
  kbps: Mp3Kbps;
  length: AudioLength | undefined;
}

/** Changes if another version of Stave encodes the same audio differently. */
const VERSION = 1;
/** Longer audio is not decoded. A header may claim any length. */
const MAX_SECONDS = 24 * 60 * 60;

/** The stores of jobs only compare the kind. */
export const STREAM = 'stream' as RenditionName['kind'];

export function recipeOf({ samples, sampleRate }: StreamSource, kbps: Mp3Kbps): StreamRecipe {
  const isKnown = samples !== null && sampleRate !== null && samples <= sampleRate * MAX_SECONDS;
  return { kbps, length: isKnown ? { samples, sampleRate } : undefined };
}

export function streamName(audioKey: string, { kbps, length }: StreamRecipe): RenditionName {
  const parts = [VERSION, kbps, ...(length ? [length.sampleRate, length.samples] : [])];
  return { audioKey, kind: STREAM, variant: parts.join('-') };
}

export function recipeOfName({ variant }: RenditionName): StreamRecipe {
  const [, kbps, sampleRate, samples] = variant.split('-').map(Number);
  const length =
    sampleRate === undefined || samples === undefined ? undefined : { sampleRate, samples };
  return { kbps: kbps as Mp3Kbps, length };
}

/** The name of the file among the derived ones of the media store. */
export function streamFile({ audioKey, variant }: RenditionName): string {
  return `stream-${hash('sha256', `${audioKey} ${variant}`)}.mp3`;
}
