import type { TrackType } from '../catalog/track.ts';

/** The names of the labels, one form for each property. */

export function filterLabel(id: string): string {
  return `filter:${id}`;
}

export function typeLabel(type: TrackType): string {
  return `type:${type}`;
}

export function vocalsLabel(hasVocals: boolean): string {
  return `vocals:${hasVocals}`;
}

export function regionLabel(code: string): string {
  return `region:${code}`;
}

/** Keys that differ only in case have the same label. */
export function keyLabel(songKey: string): string {
  return `key:${songKey.toLowerCase()}`;
}
