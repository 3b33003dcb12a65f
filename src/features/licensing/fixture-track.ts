import type { Mode } from '../../common/caller/scopes.ts';
import { FIXTURE_TRACK_ID, fixtureOf } from '../catalog/fixtures.ts';
import { parseDocument } from '../catalog/track-document.ts';
import type { Price } from './price.ts';
import type { LicensableTrack } from './quote.ts';

/** What the fixture track costs, whatever is requested (docs/contract/licensing.md#fixture-track). */
export const FIXTURE_PRICE: Price = {
  amountMinor: 1000,
  breakdown: [{ step: 'base', value: '1000' }],
};

/** Whether a track is the fixture that can be licensed. It is always for sale, and its licenses never collide. */
export function isFixture({ id }: { id: string }): boolean {
  return id === FIXTURE_TRACK_ID;
}

/** Returns the fixture that a caller of the mode finds by an id in lower case; undefined if it is not live. */
export function fixtureTrack(id: string, mode: Mode): LicensableTrack | undefined {
  const document = fixtureOf(id, mode)?.document;
  if (!document) return undefined;
  const { slug, name, type, region, isrc } = parseDocument(document);
  return {
    id,
    slug,
    name,
    type,
    region,
    territories: null,
    isrc,
    artists: [],
    filterSlugs: new Set(),
  };
}
