import type { Clock } from '../../common/clock.ts';
import type { SqlDatabase } from './database.ts';

/** What every store has. */
export class SqlStore {
  protected readonly database: SqlDatabase;
  protected readonly clock: Clock;

  constructor(database: SqlDatabase, clock: Clock) {
    this.database = database;
    this.clock = clock;
  }
}
