import type { TrackType } from '../catalog/track.ts';

/** Labels name what tracks have in common, each property in its own words. */

export function filterLabel(id: string): string {
  return `filter:${id}`;
}

export function typeLabel(type: TrackType): string {
  return `type:${type}`;
}

export function vocalsLabel(hasVocals: boolean): string {
  return `vocals:${hasVocals}`;
}

/** The same for keys that differ in case alone. */
export function keyLabel(songKey: string): string {
  return `key:${songKey.toLowerCase()}`;
}
