import type { WindowsMemory } from '../access/shared-windows.ts';
import type { Scrape } from '../api/metrics.ts';
import type { Config } from '../config.ts';
import { OperatorError } from '../kernel/operator-error.ts';
import type { SegmentColumns } from '../search/columns.ts';
import type { MergeInput } from '../search/merge.ts';

/** What a worker is started with. */
export interface WorkerStart {
  config: Config;
  /** From 0, which is the first; none of another number does what only one may. */
  number: number;
  windows: Readonly<Record<'rates' | 'guessesByClient' | 'guessesByAddress', WindowsMemory>>;
}

/** What a worker wants of the index. */
export type IndexAsk =
  | { kind: 'open' }
  | { kind: 'build'; notBefore: number }
  | { kind: 'merge'; input: MergeInput };

/** What the main thread tells a worker; `id` is that of the question. */
export type ToWorker =
  | { kind: 'load' | 'serve' | 'stop' }
  | { kind: 'made'; id: number; columns: SegmentColumns }
  | { kind: 'not made'; id: number; fault: Fault }
  | { kind: 'base'; columns: SegmentColumns }
  | { kind: 'scrape'; id: number };

/** What a worker tells the main thread, in this order while it starts, serves and stops. */
export type FromWorker =
  | { kind: 'listening'; address: string }
  | { kind: 'loaded' }
  | { kind: 'serving'; greeting: string }
  | { kind: 'stopped'; fault?: Fault }
  | { kind: 'failed'; fault: Fault }
  | { kind: 'index'; id: number; ask: IndexAsk }
  | { kind: 'scraped'; id: number; scrape: Scrape };

/** An error as another thread can be told of it. */
export interface Fault {
  isOperators: boolean;
  message: string;
  /** The stack, and what errors of the system say beside the message. */
  members: Readonly<Record<string, unknown>>;
}

export function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { isOperators: false, message: String(error), members: {} };
  const { stack, code, path, syscall } = error as NodeJS.ErrnoException;
  const members = Object.entries({ stack, code, path, syscall });
  return {
    isOperators: error instanceof OperatorError,
    message: error.message,
    members: Object.fromEntries(members.filter(([, value]) => value !== undefined)),
  };
}

/** The error again, on the other side. */
export function errorOf({ isOperators, message, members }: Fault): Error {
  const error = isOperators ? new OperatorError(message) : new Error(message);
  return Object.assign(error, members);
}
