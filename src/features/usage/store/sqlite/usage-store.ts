import type { CompiledQuery, QueryResult } from 'kysely';
import type { WriteContext } from '../../../../common/caller.ts';
import { type Clock, systemClock } from '../../../../common/clock.ts';
import type { WaitPolicy } from '../../../../common/work/wait-policy.ts';
import type { Queries, SqlDatabase } from '../../../../engines/sql/database.ts';
import { SettingStore } from '../../../../engines/sql/setting-store.ts';
import type { SecondConnection } from '../../../../engines/sql/sqlite/second-connection.ts';
import { queriesBy } from '../../../../engines/sql/sqlite/sql-database.ts';
import { whyBusy } from '../../../../engines/sql/sqlite/sqlite-error.ts';
import type { UsageReport, UsageResult } from '../../usage.ts';
import { UsageStore } from '../usage-store.ts';

type Results = readonly UsageResult[];
/** Executes a query in the transaction of a report. */
type Execute = (query: Pick<CompiledQuery, 'sql' | 'parameters'>) => Promise<QueryResult<unknown>>;
type Finish = (made: Results, execute: Execute) => Promise<void>;

/**
 * The reported use of tracks in a SQLite file. The second connection stores the reports: their statements take 20 ms and
 * wait for the disk, and so would block the event loop.
 */
export class SqliteUsageStore extends UsageStore {
  readonly #second: SecondConnection;
  readonly #waitPolicy: WaitPolicy;

  constructor(
    database: SqlDatabase,
    settings: SettingStore,
    clock: Clock,
    { second, waitPolicy }: { second: SecondConnection; waitPolicy: WaitPolicy },
  ) {
    super(database, settings, clock);
    this.#second = second;
    this.#waitPolicy = waitPolicy;
  }

  /**
   * Rejects if the thread ends meanwhile: then the report may be stored or not. The next report starts a new thread.
   */
  override report(report: UsageReport, context?: WriteContext<Results>): Promise<Results> {
    return this.#waitPolicy.run(
      () => this.#report(report, context),
      (error) => whyBusy(error, this.#second.path),
    );
  }

  async #report(report: UsageReport, context: WriteContext<Results> | undefined): Promise<Results> {
    const { finish, ...plain } = context ?? {};
    let failure: { error: unknown } | undefined;
    const finishHere = async (made: Results, execute: Execute) => {
      const queries = queriesBy(({ sql, parameters }) => execute({ sql, parameters }));
      try {
        await finish!(made, { queries });
      } catch (error) {
        failure = { error };
        throw error;
      }
    };
    const module = new URL(import.meta.url);
    const args = [report, context && plain, finish && finishHere];
    try {
      return (await this.#second.run(module, ...args)) as Results;
    } catch (error) {
      // The error of `finish` itself, which the thread has copied.
      throw failure === undefined ? error : failure.error;
    }
  }
}

let store: UsageStore | undefined;

/**
 * Stores a report in the thread of the second connection. `finish` runs in the other thread.
 * @public
 */
export function run(
  database: SqlDatabase,
  report: UsageReport,
  context: Omit<WriteContext, 'finish'> | undefined,
  finish: Finish | undefined,
): Promise<Results> {
  store ??= new UsageStore(database, new SettingStore(database, systemClock), systemClock);
  if (context === undefined) return store.report(report);
  if (finish === undefined) return store.report(report, context);
  return store.report(report, {
    ...context,
    finish: (made, { queries }) =>
      finish(made, (query) => (queries as Queries).execute(query as CompiledQuery)),
  });
}
