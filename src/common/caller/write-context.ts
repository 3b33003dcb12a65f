import type { Actor } from './actor.ts';
import type { Mode } from './scopes.ts';

/** The open transaction of a write. Only stores can use it. */
export interface OpenWrite {
  readonly queries: unknown;
}

/** Who makes a change through the API, and what is stored together with it. */
export interface WriteContext<Result = unknown> {
  actor: Actor;
  clientId: string;
  mode: Mode;
  /**
   * Stores what belongs to the result, such as the response for a repeated request, in the transaction of the
   * change, so that both are committed or neither is. It runs again if the transaction is repeated.
   */
  finish?(result: Result, transaction: OpenWrite): Promise<void>;
}

/** Throws `precondition_failed` if the caller did not read this version. Stores call it under the write lock. */
export type RequireVersion = (version: number) => void;
