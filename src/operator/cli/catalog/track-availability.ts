import {
  type Availability,
  type AvailabilityEntry,
  availabilityAt,
  isAvailable,
} from '../../../features/availability/availability.ts';
import type { TrackRecord } from '../../../features/catalog/catalog-stores.ts';
import { isoTime, shownTime } from '../terminal/arguments.ts';

/** Returns the availability of a track for scripts, with its state at a moment. */
export function availabilityForScripts(entries: TrackRecord['availability'], now: number) {
  const { territories, nextSwitch } = availabilityAt(entries, now);
  return {
    availability: entries.map(({ from, until, ...members }) => ({
      ...members,
      ...(from !== undefined && { from: isoTime(from) }),
      ...(until !== undefined && { until: isoTime(until) }),
    })),
    availableIn: territories,
    nextSwitchAt: nextSwitch === null ? null : isoTime(nextSwitch),
  };
}

/** Returns the same for people, as lines of facts. */
export function availabilityForPeople(
  entries: TrackRecord['availability'],
  now: number,
): [string, string][] {
  if (entries.length === 0) return [['available', 'always, everywhere']];
  const availability = availabilityAt(entries, now);
  const { nextSwitch } = availability;
  return [
    ...entries.map((entry, i): [string, string] => [`period ${i + 1}`, periodForPeople(entry)]),
    ['available', placeForPeople(availability)],
    ['next switch', nextSwitch === null ? 'none' : shownTime(nextSwitch)],
  ];
}

function periodForPeople(entry: AvailabilityEntry): string {
  const { from, until, territories, excludedTerritories } = entry;
  const time = [
    from === undefined ? '' : `from ${shownTime(from)} `,
    until === undefined ? '' : `until ${shownTime(until)} `,
  ].join('');
  const place = territories === undefined ? 'worldwide' : `in ${territories.join(', ')}`;
  const except =
    excludedTerritories === undefined ? '' : ` except ${excludedTerritories.join(', ')}`;
  return `${time || 'always '}${place}${except}`;
}

function placeForPeople(availability: Availability): string {
  const { territories } = availability;
  if (territories === null) return 'now, everywhere';
  return isAvailable(availability) ? `now, in ${territories.join(', ')}` : 'not now';
}
