import type { TrackParts } from '#client';

/** A stem or another version of a track. */
export type Part = TrackParts['stems'][number] | TrackParts['versions'][number];

/** All parts of a track: its stems, then its other versions. */
export function partsOf({ stems, versions }: TrackParts): Part[] {
  return [...stems, ...versions];
}

/** What a part is called: its kind, and its name if that says more. `backing_vocals` are `Backing vocals`. */
export function partName({ kind, name }: Part): string {
  const words = kind.replaceAll('_', ' ');
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return name === null || name.toLowerCase() === words ? title : `${title}: ${name}`;
}
