import type { Windows } from '../access/fixed-windows.ts';
import type { GuessWindows } from '../access/guess-limiter.ts';
import type { Metrics } from '../api/metrics.ts';
import type { IndexMaker } from '../index-source.ts';
import type { SegmentColumns } from '../search/columns.ts';

/** What a service that is one of several in a process has in common with the others. */
export interface Crew {
  /** Whether it does what only one may: load the demo, shorten the change log, merge the index. */
  readonly isFirst: boolean;
  /** Where requests are counted. */
  readonly rates: Windows;
  /** Where failed log-ins are counted. */
  readonly guesses: GuessWindows;
  readonly indexMaker: IndexMaker;
  /** To be told when it listens, and what it measures; resolves when it may load what it serves. */
  listening(address: string, metrics: Metrics): Promise<void>;
  /** To be told when it could serve; resolves when all can. */
  loaded(): Promise<void>;
  /**
   * From now on `take` is handed what others have made of the index, one after the other and only the
   * newest; what it fails on is tried again.
   */
  onBase(take: (columns: SegmentColumns) => Promise<void>): void;
}
