import { pause } from './abort.ts';
import { StaveConnectionError } from './errors.ts';
import { Operations } from './generated/operations.ts';
import type { ListTrackChangesInput, Track, TrackChanges } from './generated/types.ts';
import type { RequestOptions } from './options.ts';

/** How long a request for changes waits for the next one, in seconds. */
const WAIT_SECONDS = 30;
const MAX_CHANGES = 500;
/** How long after a request without changes the next one begins at the earliest, in milliseconds. */
const IDLE_MS = 1_000;
/** The same if the caller does not let requests wait. */
const IDLE_WITHOUT_WAIT_MS = 10_000;

/** A line of a snapshot. */
export type SnapshotLine =
  | { type: 'snapshot'; cursor: string; seq: number; takenAt: string; tracks: number }
  | { type: 'track'; track: Omit<Track, 'streamUrl' | 'streamUrlExpiresAt'> }
  | { type: 'mark'; resume: string }
  | { type: 'end'; tracks: number; sha256: string };

/** A client of the API: a method for each operation, and loops over what never ends. */
export class StaveClient extends Operations {
  /**
   * The changes of tracks after a cursor or a time, and then those to come: each page as soon as it has changes. Store
   * `nextCursor` with what you made of the page, and continue from there. The first page, and a page of
   * which `types` left out all changes, may have no items. The loop ends by `break` or by the signal. With
   * `wait: 0`, for proxies that do not hold requests open, it asks every 10 seconds while nothing is new.
   */
  async *followTrackChanges(
    { since, ...input }: ListTrackChangesInput,
    options: RequestOptions = {},
  ): AsyncGenerator<TrackChanges, void, undefined> {
    const wait = input.wait ?? WAIT_SECONDS;
    const timeoutMs = (options.timeoutMs ?? this.timeoutMs) + wait * 1_000;
    const idleMs = wait === 0 ? IDLE_WITHOUT_WAIT_MS : IDLE_MS;
    const asked = { limit: MAX_CHANGES, ...input, wait };
    // A request from a time on does not wait.
    let next: ListTrackChangesInput = since === undefined ? asked : { ...asked, since, wait: 0 };
    for (;;) {
      const earliest = performance.now() + idleMs;
      const page = await this.listTrackChanges(next, { ...options, timeoutMs });
      const isEmpty = page.items.length === 0;
      if (!isEmpty || page.nextCursor !== next.cursor) yield page;
      // A node that shuts down does not wait, either.
      if (isEmpty && !page.hasMore) await pause(earliest - performance.now(), options.signal);
      next = { ...asked, cursor: page.nextCursor };
    }
  }

  /**
   * All live tracks, line by line. After a broken connection it continues from the last mark, so that some tracks come
   * twice. The last line is the end; without it, the loop throws.
   */
  async *snapshot(
    input: { resume?: string; language?: string } = {},
    options: RequestOptions = {},
  ): AsyncGenerator<SnapshotLine, void, undefined> {
    let { resume } = input;
    let hasStarted = false;
    for (let failures = 0; ; ) {
      let tracks = 0;
      try {
        for await (const text of this.readTrackSnapshot({ ...input, resume }, options)) {
          const line = JSON.parse(text) as SnapshotLine;
          // A response that continues repeats the first line.
          if (line.type === 'snapshot' && hasStarted) continue;
          hasStarted = true;
          if (line.type === 'track') tracks++;
          if (line.type === 'mark') [resume, failures] = [line.resume, 0];
          if (line.type === 'end' && line.tracks !== tracks) break;
          yield line;
          if (line.type === 'end') return;
        }
        throw new StaveConnectionError('The snapshot has no end, or not all of its tracks');
      } catch (error) {
        if (!(error instanceof StaveConnectionError) || failures++ >= 4) throw error;
      }
    }
  }
}
