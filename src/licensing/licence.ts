import type { Mode } from '../access/client.ts';
import type { TrackType } from '../catalog/track.ts';
import type { Actor } from '../kernel/actor.ts';

/** A licence sold, as `stave licenses import` reads it. */
export interface Licence {
  externalId: string;
  trackId: string;
  mode: Mode;
  /** Milliseconds since the epoch. */
  licensedAt: number;
  clientId: string | null;
}

/** What the ranking can look back over (decisions §5). */
export const POPULARITY_PERIODS = ['7d', '30d', '90d', '365d', 'all'] as const;
/** So many last days, or all time. */
export type PopularityPeriod = (typeof POPULARITY_PERIODS)[number];

/** A track and how often it was licensed. */
export interface LicensedTrack {
  trackId: string;
  licenseCount: number;
}

/** Licences in the system of record; every change is logged. */
export interface LicenceStore {
  /**
   * Adds or corrects licences by externalId in short transactions of some hundred; outcomes in
   * order. An unknown track throws not_found; the transactions before it stay.
   */
  put(
    licences: readonly Licence[],
    by: Actor,
    batchId: string,
  ): Promise<('created' | 'updated' | 'unchanged')[]>;
  /**
   * Live tracks with at least one licence of the mode since the given time (null: ever), most
   * licensed first, ties by id. Costs one pass over those licences.
   */
  mostLicensed(mode: Mode, since: number | null): Promise<LicensedTrack[]>;
  /**
   * How many licences of the mode each track ever had, by id, whatever the track's state; tracks
   * without one are left out. Costs one pass over those licences.
   */
  countsByTrack(mode: Mode): Promise<Map<string, number>>;
}

/** What the most-licensed list can be narrowed by. */
export interface PopularityQuery {
  mode: Mode;
  period: PopularityPeriod;
  type?: TrackType;
  filterSlugs?: readonly string[];
}
