import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../common/operator-error.ts';
import { CATALOG_ID } from '../store.ts';
import type { Database, Row } from './database.ts';

/**
 * The timeline of a server. A replica writes the timeline that it follows to its control file only at its
 * restart points. Other sources need privileges. The value may therefore be old after a failover.
 */
const TIMELINE = `
  CASE WHEN pg_is_in_recovery() THEN GREATEST(
    (SELECT timeline_id FROM pg_control_checkpoint()),
    (SELECT min_recovery_end_timeline FROM pg_control_recovery()),
    (SELECT received_tli FROM pg_stat_wal_receiver))
  ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END`;
const SYSTEM = '(SELECT system_identifier::text FROM pg_control_system())';
const CATALOG = `(SELECT value FROM settings WHERE name = '${CATALOG_ID}')`;

const REPLAY_TRIES = 20;
const REPLAY_MS = 100;

/**
 * Identifies the catalog, the data of the server and the timeline of a database: one text, as an SQL
 * expression.
 */
export const IDENTITY = `(SELECT concat_ws(' ', ${CATALOG}, ${SYSTEM}, ${TIMELINE}))`;

/** What is compared, and where the change log ends. */
const STATE = `
  SELECT ${CATALOG} AS catalog, ${SYSTEM} AS system, ${TIMELINE} AS timeline, ${IDENTITY} AS identity,
         pg_is_in_recovery() AS "isReplica",
         extract(epoch FROM pg_postmaster_start_time())::text AS started,
         head.seq, ${changeAt('head.seq')} AS change
  FROM change_log_head head`;

interface State extends Row {
  catalog: string | null;
  system: string;
  timeline: number;
  identity: string;
  isReplica: boolean;
  started: string;
  seq: number;
  change: string | null;
}

/** The result of comparing a replica with its primary. */
export interface Comparison {
  /** The IDENTITY of the primary. */
  identity: string;
  /** Why the replica must not be read, as the end of a sentence about it; undefined if it may be read. */
  difference: string | undefined;
  /** The number of changes of the log that the replica has not replayed yet. */
  behind: number;
}

/**
 * Compares whether a database is a physical replica of another: same catalog, same server, same timeline, and
 * a change log that is the beginning of the primary's. Costs one statement on each, and up to two seconds if
 * the catalog on the replica has no id. Rejects if one of them cannot be read.
 */
export async function compare(primary: Database, replica: Database): Promise<Comparison> {
  // Reads the replica first: the primary then has everything that the replica has replayed.
  let theirs = await stateOf(replica);
  // The catalog may have received its id only now.
  for (let tries = 0; theirs.catalog === null && tries < REPLAY_TRIES; tries++) {
    await sleep(REPLAY_MS);
    theirs = await stateOf(replica);
  }
  const [row] = await primary.rows<State & { then: string | null }>(
    `SELECT state.*, ${changeAt('$1::bigint')} AS then FROM (${STATE}) state`,
    [theirs.seq],
  );
  const ours = row!;
  return {
    identity: ours.identity,
    difference: differenceOf(ours, theirs),
    behind: Math.max(0, ours.seq - theirs.seq),
  };
}

async function stateOf(replica: Database): Promise<State> {
  try {
    const [state] = await replica.rows<State>(STATE);
    return state!;
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNDEFINED_TABLE) throw error;
    throw new OperatorError(`The database ${replica.name} holds no catalog of Stave.`, {
      cause: error,
    });
  }
}

const UNDEFINED_TABLE = '42P01';

function changeAt(seq: string): string {
  return `(SELECT concat_ws(' ', at, entity, kind, entity_id) FROM change_log WHERE seq = ${seq})`;
}

function differenceOf(ours: State & { then: string | null }, theirs: State): string | undefined {
  if (theirs.catalog !== ours.catalog) return 'holds another catalog';
  if (theirs.system !== ours.system) {
    return `is no physical replica of it (system identifier ${theirs.system}, not ${ours.system})`;
  }
  if (theirs.timeline !== ours.timeline) {
    return `is on timeline ${theirs.timeline}, and the primary on ${ours.timeline}: it has not followed a restore or a failover`;
  }
  if (!theirs.isReplica && theirs.started !== ours.started) {
    return 'is no replica any more, but a server of its own';
  }
  if (theirs.seq > ours.seq || theirs.change !== ours.then) {
    return `has another past: its change ${theirs.seq} is not the primary's`;
  }
  return undefined;
}
