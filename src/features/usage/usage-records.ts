import type { Mode } from '../../common/caller.ts';
import { CSV_MARK, csvTable } from '../../common/text/shown.ts';
import type { UsageStore } from './store/usage-store.ts';
import type { UsageCounts, UsageEvent, UsageType } from './usage.ts';
import { dateOf } from './usage.ts';

export interface UsageRange {
  mode: Mode;
  /** All clients if it is absent. */
  clientId?: string | undefined;
  /** The first and the last day in UTC, in days since the epoch. */
  from: number;
  to: number;
}

/** A client with the first and the last day of its stored records in a mode, in days since the epoch. */
export interface UsageSource {
  clientId: string;
  firstDay: number;
  lastDay: number;
}

/** The number of days for which usage is kept at least, as the contract promises. */
export const KEPT_DAYS = 400;

export interface PurgedUsage {
  events: number;
  productions: number;
}

/** A stored event. Times are in milliseconds since the epoch. */
export interface StoredEvent extends Omit<UsageEvent, 'userId' | 'production' | 'endReason'> {
  clientId: string;
  mode: Mode;
  batchId: string;
  /** '' if unknown. */
  isrc: string;
  receivedAt: number;
  endReason: string | null;
  productionId: string | null;
}

/** The sums of one client, day, track, type and country. */
export interface StoredDay {
  clientId: string;
  mode: Mode;
  /** In days since the epoch. */
  day: number;
  trackId: string;
  /** As last reported, like `isrc`, which is '' if unknown. */
  title: string;
  isrc: string;
  type: UsageType;
  /** '' if unknown. */
  country: string;
  events: number;
  seconds: number;
}

/** Formats events as NDJSON, slice by slice. What is unknown is null. */
export async function* usageNdjson(
  slices: AsyncIterable<readonly StoredEvent[]>,
): AsyncGenerator<string> {
  for await (const events of slices) {
    yield events.map((event) => `${JSON.stringify(exported(event))}\n`).join('');
  }
}

function exported(event: StoredEvent): object {
  return {
    clientId: event.clientId,
    mode: event.mode,
    batchId: event.batchId,
    eventId: event.eventId,
    type: event.type,
    trackId: event.trackId,
    isrc: event.isrc === '' ? null : event.isrc,
    occurredAt: new Date(event.occurredAt).toISOString(),
    receivedAt: new Date(event.receivedAt).toISOString(),
    seconds: event.seconds,
    country: event.country,
    playlistId: event.playlistId,
    endReason: event.endReason,
    offline: event.offline,
    licenseNumber: event.licenseNumber,
    productionId: event.productionId,
    cue: event.cue,
  };
}

const USE_TYPES = {
  stream: 'OnDemandStream',
  download: 'PermanentDownload',
  sync: 'AsPerContract',
} as const satisfies Record<UsageType, string>;

/** Columns that are cells of a DSR of DDEX have its cell names. */
const CSV = csvTable<StoredDay>({
  ClientId: (day) => day.clientId,
  Mode: (day) => day.mode,
  Date: (day) => dateOf(day.day),
  TrackId: (day) => day.trackId,
  Title: (day) => day.title,
  ISRC: (day) => day.isrc,
  UseType: (day) => USE_TYPES[day.type],
  TerritoryOfUseOrSale: (day) => day.country,
  NumberOfStreams: ({ type, events }) => (type === 'stream' ? events : 0),
  NumberOfDownloads: ({ type, events }) => (type === 'download' ? events : 0),
  NumberOfSyncs: ({ type, events }) => (type === 'sync' ? events : 0),
  Seconds: (day) => day.seconds,
});

/** Formats sums as CSV for people (RFC 4180), slice by slice. The first row is the heading. */
export async function* usageCsv(
  slices: AsyncIterable<readonly StoredDay[]>,
): AsyncGenerator<string> {
  yield CSV_MARK + CSV.heading;
  for await (const days of slices) yield days.map(CSV.row).join('');
}

export interface ClientUsage extends UsageCounts {
  clientId: string;
}

/** Adds up the reported use of each client within a range. Leaves out clients without any. */
export async function usageOfClients(
  { usage }: { usage: Pick<UsageStore, 'summary'> },
  sources: readonly UsageSource[],
  range: UsageRange,
): Promise<ClientUsage[]> {
  const counts: ClientUsage[] = [];
  for (const { clientId, firstDay, lastDay } of sources) {
    const from = Math.max(range.from, firstDay);
    const to = Math.min(range.to, lastDay);
    if (from > to) continue;
    const { totals } = await usage.summary({
      mode: range.mode,
      clientId,
      from,
      to,
      groupBy: 'type',
    });
    counts.push({ clientId, ...totals });
  }
  return counts.filter(({ streams, downloads, syncs }) => streams + downloads + syncs > 0);
}
