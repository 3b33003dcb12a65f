import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../common/clock.ts';
import { StaveError } from '../../common/errors.ts';
import type { Change, ChangeLog, LogBounds } from '../../engines/change-log/change-log.ts';
import { type LogPosition, refuseLostPosition } from '../../engines/change-log/positions.ts';

/**
 * How far clocks of nodes and partners may differ, in milliseconds. A page for a time begins this much earlier, because
 * a reader may see a change twice but must not miss one.
 */
const OVERLAP_MS = 10_000;

/** The most rows of the log that one page examines. */
const MAX_ROWS = 10_000;
/** The most rows that are read at once after the first read. */
const SLICE = 2_000;

/** Where a page begins: after a position, or at a time in milliseconds since the epoch. */
export type FeedStart = LogPosition | { since: number };

export interface FeedFilter {
  /** The most changes of a page. */
  limit: number;
  wants(change: Change): boolean;
}

export interface FeedPage extends LogPosition {
  /** The changes up to `seq`, in the order of the log. */
  changes: readonly Change[];
  /** Whether the log has more rows after `seq` that this node can show. */
  hasMore: boolean;
  /**
   * The time from which a reader continues that stores only times, in milliseconds since the epoch; null if there
   * are more rows, because many of them may have the same time.
   */
  nextSince: number | null;
}

/** The log as pages of one turn of the event loop read it. */
interface LogView {
  bounds: LogBounds;
  /** Rows that were read after the bounds, by the `seq` before them and their number. */
  rows: Map<string, Promise<readonly Change[]>>;
}

type Scan = Pick<FeedPage, 'changes' | 'seq' | 'hasMore'>;

/**
 * Reads the changes of tracks from the log, as far as the catalog of this node shows them. So a track that is shown
 * with a change is never older than the change.
 */
export class ChangeFeed {
  readonly #log: Pick<ChangeLog, 'since' | 'latest' | 'bounds' | 'firstAt'>;
  readonly #clock: Clock;
  readonly #position: () => number;
  /** The view that is about to be read. */
  #nextView: Promise<LogView> | undefined;

  /** @param deps.position the `seq` up to which the catalog contains every change of a track. */
  constructor(deps: {
    log: Pick<ChangeLog, 'since' | 'latest' | 'bounds' | 'firstAt'>;
    clock: Clock;
    position: () => number;
  }) {
    this.#log = deps.log;
    this.#clock = deps.clock;
    this.#position = deps.position;
  }

  /**
   * Reads one page. Rejects with `gone` if changes after its start have expired or belong to another history of the
   * log, and with `invalid_request` for a time in the future.
   */
  async page(start: FeedStart, filter: FeedFilter): Promise<FeedPage> {
    const view = await this.#view();
    const { bounds } = view;
    const after = await this.#startOf(start, bounds);
    const scan = await this.#scan(after, view, filter);
    return {
      ...scan,
      epoch: bounds.epoch!,
      nextSince: scan.hasMore ? null : await this.#nextSince(scan, bounds, start),
    };
  }

  /**
   * Reads the bounds of the log in the next turn of the event loop. Requests that a change has woken, or that have
   * arrived together, share one view, so that their number does not multiply the statements.
   */
  #view(): Promise<LogView> {
    this.#nextView ??= nextTurn().then(async () => {
      this.#nextView = undefined;
      return { bounds: await this.#log.bounds(), rows: new Map() };
    });
    return this.#nextView;
  }

  /** Returns the `seq` after which the page begins. */
  async #startOf(start: FeedStart, bounds: LogBounds): Promise<number> {
    if (!('since' in start)) {
      refuseLostPosition(start, bounds);
      return start.seq;
    }
    const { since } = start;
    if (since > Math.max(this.#clock.now(), bounds.headAt) + OVERLAP_MS) {
      const message = 'since lies in the future; use nextSince of the last response';
      throw new StaveError('invalid_request', `${message}.`, {
        details: [{ field: 'since', message }],
      });
    }
    if (since < earliestSince(bounds)) {
      throw new StaveError(
        'gone',
        'The change log no longer has everything since this time; resync from GET /v1/tracks/snapshot.',
      );
    }
    const first = await this.#log.firstAt(since - OVERLAP_MS);
    // A takedown of the last expired millisecond lies before the floor, and only in the overlap.
    return first === undefined ? bounds.head : Math.max(first - 1, bounds.floor);
  }

  async #scan(after: number, view: LogView, { limit, wants }: FeedFilter): Promise<Scan> {
    const changes: Change[] = [];
    let seq = after;
    // One more than fits shows whether there are more.
    for (
      let left = MAX_ROWS, size = limit + 1;
      left > 0;
      left -= size, size = Math.min(SLICE, left)
    ) {
      const rows = await this.#rows(seq, size, view);
      const position = this.#position();
      for (const row of rows) {
        // The catalog lacks this change, but has all before it.
        if (row.seq > position) return { changes, seq: Math.max(seq, position), hasMore: false };
        if (wants(row)) {
          if (changes.length === limit) return { changes, seq, hasMore: true };
          changes.push(row);
        }
        seq = row.seq;
      }
      // The head was read before the rows, so no other change of a track lies up to it.
      if (rows.length < size)
        return { changes, seq: Math.max(seq, view.bounds.head), hasMore: false };
    }
    return { changes, seq, hasMore: true };
  }

  #rows(after: number, size: number, { bounds, rows }: LogView): Promise<readonly Change[]> {
    const key = `${after} ${size}`;
    const reading = rows.get(key) ?? this.#readRows(after, size, bounds);
    rows.set(key, reading);
    return reading;
  }

  /** Returns the next rows of tracks. Rejects with `gone` if some of them have expired since the bounds were read. */
  async #readRows(after: number, size: number, bounds: LogBounds): Promise<readonly Change[]> {
    const rows = await this.#log.since(after, ['track'], size);
    // What was written after the bounds were read cannot have expired.
    if (after < bounds.head) {
      refuseLostPosition({ epoch: bounds.epoch!, seq: after }, await this.#log.bounds());
    }
    return rows;
  }

  async #nextSince({ seq }: Scan, bounds: LogBounds, start: FeedStart): Promise<number> {
    const at =
      seq === bounds.head
        ? bounds.headAt
        : ((await this.#log.latest(1, { beforeSeq: seq + 1 }))[0]?.at ?? 0);
    const known = Math.max(at, earliestSince(bounds));
    return known > 0 ? known : 'since' in start ? start.since : 0;
  }
}

/** Returns the first time from which the log has everything, with the overlap; any time if nothing has expired. */
function earliestSince({ floor, floorAt }: LogBounds): number {
  return floor === 0 ? Number.NEGATIVE_INFINITY : floorAt + OVERLAP_MS;
}
