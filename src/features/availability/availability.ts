import { COUNTRIES, WORLD } from '../../common/codes.ts';

/** The most entries of the availability of a track, and the most territories of one list of an entry. */
export const MAX_ENTRIES = 100;
export const MAX_TERRITORIES = 300;

/**
 * A period in which a track is available in some territories, as an import delivers it and the store keeps it. An absent
 * member does not restrict.
 */
export interface AvailabilityEntry {
  /** Codes of ISO 3166-1 alpha-2, ascending, at least one; absent for the whole world. */
  territories?: readonly string[];
  /** Likewise; these are subtracted from `territories`. */
  excludedTerritories?: readonly string[];
  /** The first moment, and the first moment after the period, in milliseconds since the epoch. */
  from?: number;
  until?: number;
}

/** Returns the stored form of entries; null if there are none: then a track is always available everywhere. */
export function serializedAvailability(entries: readonly AvailabilityEntry[]): string | null {
  return entries.length === 0 ? null : JSON.stringify(entries);
}

export function parseAvailability(stored: string | null): AvailabilityEntry[] {
  return stored === null ? [] : JSON.parse(stored);
}

export interface Availability {
  /** Ascending, empty outside of all periods; null for every country. */
  territories: readonly string[] | null;
  /** The next moment at which this may change; null if there is none. */
  nextSwitch: number | null;
}

/** Returns where a track with these entries is available at a moment, in milliseconds since the epoch. */
export function availabilityAt(
  entries: readonly AvailabilityEntry[],
  moment: number,
): Availability {
  if (entries.length === 0) return { territories: null, nextSwitch: null };
  const allowed = new Set<string>();
  let nextSwitch: number | null = null;
  for (const { territories = COUNTRIES, excludedTerritories = [], from, until } of entries) {
    for (const boundary of [from, until]) {
      if (boundary === undefined || boundary <= moment) continue;
      nextSwitch = nextSwitch === null ? boundary : Math.min(nextSwitch, boundary);
    }
    if ((from !== undefined && moment < from) || (until !== undefined && moment >= until)) continue;
    for (const code of territories) if (!excludedTerritories.includes(code)) allowed.add(code);
  }
  const territories = allowed.size === COUNTRIES.length ? null : [...allowed].sort();
  return { territories, nextSwitch };
}

export function isAvailable({ territories }: Pick<Availability, 'territories'>): boolean {
  return territories === null || territories.length > 0;
}

/** Returns the given territories, countries or `WORLD`, in which a track is not available. */
export function unavailableIn(
  { territories }: Pick<Availability, 'territories'>,
  asked: readonly string[],
): string[] {
  if (territories === null) return [];
  return asked.filter((territory) => territory === WORLD || !territories.includes(territory));
}

export interface SwitchedTracks {
  began: number;
  ended: number;
  /** Tracks that stay live, but in other territories. */
  updated: number;
}

/**
 * Whether the API shows a track. A track that is not live keeps its id, its slug and its positions in
 * playlists. Only the operator takes a track down and restores it. A prune or an undo withdraws a track, and
 * the next delivery makes it live again. A track outside of its periods of availability is unavailable, and switches
 * by itself. Partners see no difference.
 */
export type TrackState = 'live' | 'taken_down' | 'withdrawn' | 'unavailable';

/** Returns the state of a track by its availability. A track that was taken down or withdrawn stays so. */
export function stateWithin(availability: Availability, state: TrackState): TrackState {
  if (state !== 'live' && state !== 'unavailable') return state;
  return isAvailable(availability) ? 'live' : 'unavailable';
}

export type ChosenState = 'live' | 'taken_down';
