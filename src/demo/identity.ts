import { derivedId } from '../kernel/ids.ts';

/** Whose tracks they are, as the catalog keeps it. */
export const DEMO_SOURCE = 'demo';

/** Who the demo's changes are by, in the change log. */
export const DEMO_ACTOR = 'system:demo';

/** The id of a track of the demo, by its external id: `music-01`, `sfx-12`. */
export function demoTrackId(externalId: string): string {
  return derivedId(DEMO_SOURCE, externalId);
}

/** The track that the greeting plays: the first of the album. */
export const SAMPLE = { id: demoTrackId('music-01'), name: 'Harbour at First Light' };
