import type { Mode } from '../../common/caller.ts';
import type { TrackType } from '../catalog/track.ts';

/** The prefix of the ids of licenses sold through the API. No imported license may have such an id. */
export const SOLD_PREFIX = 'license:';

/** A sold license, as `stave licenses import` stores it. */
export interface License {
  externalId: string;
  trackId: string;
  mode: Mode;
  /** In milliseconds since the epoch. */
  licensedAt: number;
  clientId: string | null;
}

/** The periods of the ranking (docs/contract/analytics.md#most-licensed-tracks). */
export const POPULARITY_PERIODS = ['7d', '30d', '90d', '365d', 'all'] as const;
export type PopularityPeriod = (typeof POPULARITY_PERIODS)[number];

export interface LicensedTrack {
  trackId: string;
  licenseCount: number;
}

export interface PopularityQuery {
  mode: Mode;
  period: PopularityPeriod;
  type?: TrackType;
  filterSlugs?: readonly string[];
}
