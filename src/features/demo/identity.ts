import { derivedId } from '../../common/ids.ts';

/** The source of the demo's tracks. */
export const DEMO_SOURCE = 'demo';

/** The actor of the demo's changes in the change log. */
export const DEMO_ACTOR = 'system:demo';

/** Returns the id of a demo track by its external id: `music-01`, `sfx-12`. */
export function demoTrackId(externalId: string): string {
  return derivedId(DEMO_SOURCE, externalId);
}

/** The track that the greeting plays and quotes: the first of the catalog. */
export const SAMPLE = {
  id: demoTrackId('music-01'),
  name: 'Harbour at First Light',
  slug: 'harbour-at-first-light',
};
