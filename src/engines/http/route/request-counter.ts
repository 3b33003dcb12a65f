import type { Caller } from '../../../common/caller/caller.ts';

/** Where requests are counted. */
export interface RequestCounter {
  /** Counts a request of a caller. @param allowed false if its limit was used up */
  count(caller: Pick<Caller, 'clientId' | 'secretId'>, allowed: boolean): void;
  /** Notes the use of a secret without counting a request. */
  used(secret: { clientId: string; secretId: string }): void;
}
