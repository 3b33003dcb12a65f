import { type Availability, availabilityAt, parseAvailability } from '../availability.ts';
import { stateWithin, type TrackState } from '../track-state.ts';
import { TRACK_STATE } from './track-state.ts';

/** What the log records of a change of a track that its availability causes. */
export const BY_AVAILABILITY: readonly string[] = ['availability'];

/** A row of `tracks`, with what its availability decides. */
export interface PeriodRow {
  /** As TRACK_STATE. */
  state: TrackState;
  availability: string | null;
  availableIn: string | null;
  nextSwitchAt: number | null;
}

/** The columns of `PeriodRow`, for SELECT. */
export const PERIOD_COLUMNS = `${TRACK_STATE} AS state, availability, available_in AS "availableIn",
  next_switch_at AS "nextSwitchAt"`;

/** What a row is to have at a moment. */
export type Period = Pick<PeriodRow, 'state' | 'availableIn' | 'nextSwitchAt'>;

/** Availabilities that several tracks share, of one moment. */
export class Periods {
  /** In milliseconds since the epoch. */
  readonly moment: number;
  readonly #known = new Map<string | null, Availability>();

  constructor(moment: number) {
    this.moment = moment;
  }

  /** Returns what a row is to have, if the track had this state without its availability. */
  of({ availability }: Pick<PeriodRow, 'availability'>, state: TrackState): Period {
    let found = this.#known.get(availability);
    if (found === undefined) {
      found = availabilityAt(parseAvailability(availability), this.moment);
      this.#known.set(availability, found);
    }
    return {
      state: stateWithin(found, state),
      availableIn: found.territories === null ? null : found.territories.join(' '),
      nextSwitchAt: found.nextSwitch,
    };
  }
}

/** Whether a row has what it is to have. */
export function isSamePeriod(row: Period, period: Period): boolean {
  return (
    row.state === period.state &&
    row.availableIn === period.availableIn &&
    row.nextSwitchAt === period.nextSwitchAt
  );
}

/** Returns the kind of change by which a track became live, or is live no longer; undefined if neither. */
export function visibleChange(
  before: TrackState,
  after: TrackState,
): 'restored' | 'withdrawn' | undefined {
  if ((before === 'live') === (after === 'live')) return undefined;
  return after === 'live' ? 'restored' : 'withdrawn';
}
