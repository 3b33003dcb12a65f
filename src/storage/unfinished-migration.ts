import { OperatorError } from '../kernel/operator-error.ts';
import type { SettingStore } from './store.ts';
import { MIGRATION } from './tables.ts';

/** Throws OperatorError where the record holds only a part of what is moved into it. `place` names it. */
export async function refuseUnfinished(settings: SettingStore, place: string): Promise<void> {
  if ((await settings.get(MIGRATION)) !== undefined) {
    throw new OperatorError(
      `A migration into the database ${place} is unfinished: run stave migrate-store again, or drop it.`,
    );
  }
}

/** What it means that a table has not the last row that it was given. */
export function writtenMeanwhile(place: string): OperatorError {
  return new OperatorError(
    `Something else writes to ${place}: stop it, and run stave migrate-store again.`,
  );
}
