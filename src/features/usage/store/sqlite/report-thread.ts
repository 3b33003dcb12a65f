/** The thread of a ReportConnection. */
import { parentPort, workerData } from 'node:worker_threads';
import type { CompiledQuery } from 'kysely';
import type { OpenWrite } from '../../../../common/caller/write-context.ts';
import { systemClock } from '../../../../common/clock.ts';
import { serializeError } from '../../../../common/threads/serialized-error.ts';
import type { Queries } from '../../../../engines/sql/database.ts';
import { SqlSettingStore } from '../../../../engines/sql/sql-setting-store.ts';
import { Database } from '../../../../engines/sql/sqlite/database.ts';
import { SecondConnection } from '../../../../engines/sql/sqlite/second-connection.ts';
import { SqliteSqlDatabase } from '../../../../engines/sql/sqlite/sql-database.ts';
import { batchWriter } from '../../../catalog/store/sqlite/batch-writer.ts';
import type { UsageResult } from '../../usage.ts';
import { UsageStore } from '../usage-store.ts';
import type {
  FinishStep,
  NewReport,
  ReportAnswer,
  ReportMessage,
  ReportThreadData,
} from './report-connection.ts';

const { path, busyTimeoutMs, cacheKilobytes }: ReportThreadData = workerData;
const database = await Database.open(path, busyTimeoutMs, undefined, cacheKilobytes);
/** Makes checkpoints in one more thread, so that neither reports nor summaries delay them. */
const second = new SecondConnection({ path });
const sqlDatabase = new SqliteSqlDatabase(database, second, systemClock, batchWriter);
const usage = new UsageStore(sqlDatabase, new SqlSettingStore(sqlDatabase), systemClock);
const open = new Set<Promise<void>>();
/** Gets the next step of `finish` of the transaction that is open. */
let nextStep: ((step: FinishStep) => void) | undefined;

parentPort!.on('message', (message: ReportMessage) => {
  if (message === 'close') void close();
  else if ('report' in message) {
    const stored = store(message.id, message).finally(() => open.delete(stored));
    open.add(stored);
  } else nextStep!(message);
});

async function store(id: number, { report, context }: NewReport): Promise<void> {
  const finish = (made: readonly UsageResult[], transaction: OpenWrite) =>
    finishBySteps(id, made, transaction.queries as Queries);
  try {
    const results = await usage.report(
      report,
      context === null ? undefined : { ...context, finish },
    );
    post(id, { results });
  } catch (error) {
    post(id, { failure: serializeError(error) });
  }
}

/** Lets the other thread run `finish`, whose statements this thread executes in the transaction that is open. */
async function finishBySteps(
  id: number,
  made: readonly UsageResult[],
  queries: Queries,
): Promise<void> {
  for (let answer: ReportAnswer = { made }; ; ) {
    const { promise, resolve } = Promise.withResolvers<FinishStep>();
    nextStep = resolve;
    post(id, answer);
    const step = await promise;
    if ('query' in step) answer = await executed(queries, step.query);
    else if (step.end === 'commit') return;
    else throw new Error('finish has failed');
  }
}

async function executed(
  queries: Queries,
  query: Pick<CompiledQuery, 'sql' | 'parameters'>,
): Promise<ReportAnswer> {
  try {
    const { rows } = await queries.execute(query as CompiledQuery);
    return { rows };
  } catch (error) {
    return { failure: serializeError(error) };
  }
}

function post(id: number, answer: ReportAnswer): void {
  parentPort!.postMessage({ id, ...answer });
}

async function close(): Promise<void> {
  await second.close();
  await database.close();
  await Promise.all(open);
  parentPort!.close();
}
