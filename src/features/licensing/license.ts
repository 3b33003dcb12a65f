import type { Actor } from '../../common/caller/actor.ts';
import type { Mode } from '../../common/caller/scopes.ts';
import type { TrackType } from '../catalog/track.ts';

/** How the ids of the rows begin that count licenses sold through the API. No imported license may have such an id. */
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
/** A number of last days, or all time. */
export type PopularityPeriod = (typeof POPULARITY_PERIODS)[number];

/** A track and the number of its licenses. */
export interface LicensedTrack {
  trackId: string;
  licenseCount: number;
}

/** Licenses in the system of record. Each change is logged. */
export interface LicenseStore {
  /**
   * Adds or corrects licenses by externalId, in short transactions of some hundred. Returns the outcomes in
   * order. Throws not_found for an unknown track; earlier transactions stay committed.
   */
  put(
    licenses: readonly License[],
    by: Actor,
    batchId: string,
  ): Promise<('created' | 'updated' | 'unchanged')[]>;
  /**
   * The live tracks with at least one license of the mode since the given time (null for all time), most
   * licensed first, ties by id. Costs one read of these licenses.
   */
  mostLicensed(mode: Mode, since: number | null): Promise<LicensedTrack[]>;
  /**
   * The number of licenses of the mode of each track, by id, whatever the state of the track; tracks without
   * a license are left out. Costs one read of these licenses.
   */
  countsByTrack(mode: Mode): Promise<Map<string, number>>;
}

/** The restrictions of the most licensed tracks. */
export interface PopularityQuery {
  mode: Mode;
  period: PopularityPeriod;
  type?: TrackType;
  filterSlugs?: readonly string[];
}
