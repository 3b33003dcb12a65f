import { OperatorError } from '../../common/operator-error.ts';
import { MIGRATION } from './copied-tables.ts';
import type { SettingStore } from './setting-store.ts';

/**
 * Throws OperatorError if the store contains only a part of what is being moved into it. `place` is its name
 * in messages.
 */
export async function refuseUnfinished(settings: SettingStore, place: string): Promise<void> {
  if ((await settings.get(MIGRATION)) !== undefined) {
    throw new OperatorError(
      `A migration into the database ${place} is unfinished: run stave migrate-store again, or drop it.`,
    );
  }
}

/** Returns the error for a table whose last row is not the one that the move wrote. */
export function writtenMeanwhile(place: string): OperatorError {
  return new OperatorError(
    `Something else writes to ${place}: stop it, and run stave migrate-store again.`,
  );
}
