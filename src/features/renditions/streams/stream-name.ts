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
export type StreamRecipe = {
  /** If it is unknown, the length of the file is known only at its end. That of FLAC always is. */
  length: AudioLength | undefined;
} & ({ format: 'mp3'; kbps: Mp3Kbps } | { format: 'wav' | 'flac' });

/** Changes if another version of Stave encodes the same audio differently. */
const VERSION = 1;
/** Longer audio is not decoded. A header may claim any length. */
const MAX_SECONDS = 24 * 60 * 60;

/** The stores of jobs only compare the kind. */
export const STREAM = 'stream' as RenditionName['kind'];

export function recipeOf(
  { samples, sampleRate }: StreamSource,
  target: { format: 'mp3'; kbps: Mp3Kbps } | { format: 'wav' | 'flac' },
): StreamRecipe {
  const isKnown =
    target.format !== 'flac' &&
    samples !== null &&
    sampleRate !== null &&
    samples <= sampleRate * MAX_SECONDS;
  return { ...target, length: isKnown ? { samples, sampleRate } : undefined };
}

export function streamName(audioKey: string, recipe: StreamRecipe): RenditionName {
  const { format, length } = recipe;
  const form = format === 'mp3' ? recipe.kbps : format;
  const parts = [VERSION, form, ...(length ? [length.sampleRate, length.samples] : [])];
  return { audioKey, kind: STREAM, variant: parts.join('-') };
}

export function recipeOfName({ variant }: RenditionName): StreamRecipe {
  const [, form, ...numbers] = variant.split('-');
  const [sampleRate, samples] = numbers.map(Number);
  const length =
    sampleRate === undefined || samples === undefined ? undefined : { sampleRate, samples };
  return form === 'wav' || form === 'flac'
    ? { format: form, length }
    : { format: 'mp3', kbps: Number(form) as Mp3Kbps, length };
}

/** The name of the file among the derived ones of the media store. */
export function streamFile(name: RenditionName): string {
  const { audioKey, variant } = name;
  return `stream-${hash('sha256', `${audioKey} ${variant}`)}.${recipeOfName(name).format}`;
}
