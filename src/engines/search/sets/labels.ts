import type { TrackType } from '../track-type.ts';

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

/** The label of a region, and of the countries in which a track is available if these are not all. */
export function regionLabel(code: string, availableIn?: string): string {
  return availableIn === undefined ? `region:${code}` : `region:${code} ${availableIn}`;
}

/** Returns the region and the countries of the value of such a label. */
export function parsedRegion(value: string): { region: string; availableIn?: string } {
  const space = value.indexOf(' ');
  return space === -1
    ? { region: value }
    : { region: value.slice(0, space), availableIn: value.slice(space + 1) };
}

/** Keys that differ only in case have the same label. */
export function keyLabel(songKey: string): string {
  return `key:${songKey.toLowerCase()}`;
}
