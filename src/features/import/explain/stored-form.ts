import type { AvailabilityEntry } from '../../availability/availability.ts';
import type { Prepared } from '../canonical/track.ts';
import { isNothing } from '../mapping/steps.ts';

/** Returns the members of a track as the import would store them, without the empty ones. */
export function storedForm(prepared: Extract<Prepared, { problems: null }>): object {
  const { delivery, audio, artwork, preview, waveform, stems, versions } = prepared;
  const { releasedAt, audioKey: _, artworkKey: __, ...track } = delivery;
  const members = {
    ...track,
    durationSeconds: track.durationSeconds || null,
    releaseDate: releasedAt === null ? null : new Date(releasedAt).toISOString(),
    availability: track.availability?.map(inTimes),
    artists: track.artists.map(({ name, role, isPrimary }) => ({ name, role, isPrimary })),
    ...{ audio, artwork, preview, waveform, stems, versions },
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isNothing(value)));
}

/** Writes the moments of an entry of the availability as an import record has them. */
function inTimes({ from, until, ...territories }: AvailabilityEntry): object {
  return {
    ...territories,
    ...(from !== undefined && { from: new Date(from).toISOString() }),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  };
}
