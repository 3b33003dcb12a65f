import { newId } from '../../common/ids.ts';
import type { Log } from '../../common/log.ts';
import { OperatorError } from '../../common/operator-error.ts';
import { CATALOG_ID } from '../store.ts';
import type { Database, Row, Value } from './database.ts';
import { compare, IDENTITY } from './replica-check.ts';

/** How long the result of a comparison is valid, unless there is a reason to doubt it. */
const HOLDS_MS = 5_000;
/** The pause before the next comparison if the replica is not used. */
const RETRY_MS = 1_000;

/** The maximum number of comparisons in a row while new connections to one of the servers appear. */
const COMPARISONS_AT_ONCE = 3;

/** The options of ReplicaGate. */
export interface ReplicaGateOptions {
  primary: Database;
  /** Opens the replica, and calls back for each new connection to it. Called again if it rejects. */
  open: (onConnect: () => void) => Promise<Database>;
  log: Log;
}

/**
 * Sends reads to a replica if it belongs to the primary (replica-check.ts) and has replayed all changes that
 * this node has read from the change log. No response is therefore older than the index of the node, or comes
 * from another catalog. The gate compares the two servers at first, after every new connection to one of
 * them, and every few seconds while it is used. Each read also returns the identity of its server. Until the
 * first comparison, and while the servers differ or the replica cannot be read, the gate reads from the
 * primary.
 */
export class ReplicaGate {
  readonly #options: ReplicaGateOptions;
  #replica: Database | undefined;
  #shown = 0;
  /**
   * The identity of the primary if the last comparison found the same on the replica; otherwise undefined.
   */
  #identity: string | undefined;
  #comparing: Promise<void> | undefined;
  #isDoubted = false;
  /** When the last comparison ended, by performance.now(). */
  #comparedAt = Number.NEGATIVE_INFINITY;
  /** The reason that was logged last. */
  #toldReason: string | undefined;
  #isClosed = false;

  constructor(options: ReplicaGateOptions) {
    this.#options = options;
  }

  /** Whether reads go to the replica. */
  get isUsed(): boolean {
    return this.#identity !== undefined && this.#replica?.availability.isAway === false;
  }

  /** Call this for every `seq` that was read from the primary. */
  shown(seq: number): void {
    if (seq > this.#shown) this.#shown = seq;
  }

  /** Call this for every new connection to the primary, which may lead to another server. */
  doubt(): void {
    this.#identity = undefined;
    this.#compareAgain();
  }

  /**
   * Compares the two servers. Concurrent calls share one comparison. Logs the result if it differs from the
   * last one.
   */
  compare(): Promise<void> {
    this.#comparing ??= this.#compare().finally(() => {
      this.#comparing = undefined;
    });
    return this.#comparing;
  }

  /**
   * Returns the rows of one statement, from the replica if it has replayed enough, otherwise from the
   * primary. The statement runs together with a read of the head of the log, on one view. Each of its rows
   * must have a `rowId`.
   */
  async rows<T extends Row>(sql: string, values: readonly Value[]): Promise<T[]> {
    const { primary } = this.#options;
    const age = performance.now() - this.#comparedAt;
    if (age > (this.#identity === undefined ? RETRY_MS : HOLDS_MS)) void this.compare();
    const identity = this.#identity;
    const needed = this.#shown;
    if (identity === undefined || this.#replica!.availability.isAway) {
      return primary.rows<T>(sql, values);
    }
    const bounded = `
      SELECT head.seq AS replayed, ${IDENTITY} AS identity, wanted.*
      FROM change_log_head head LEFT JOIN (${sql}) wanted ON true`;
    try {
      const rows = await this.#replica!.rows<T & { replayed: number; identity: string }>(
        bounded,
        values,
      );
      const [first] = rows;
      if (first?.identity !== identity) this.doubt();
      else if (first.replayed >= needed) return rows.filter((row) => row.rowId !== null);
    } catch {
      // The primary has these rows too. The availability of the replica reports the reason.
    }
    return primary.rows<T>(sql, values);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#comparing;
    await this.#replica?.close();
  }

  #compareAgain(): void {
    this.#isDoubted = true;
    void this.compare();
  }

  async #compare(): Promise<void> {
    const { primary, open } = this.#options;
    // A statement that fails is tried on another connection, which causes a new doubt. Without this limit, a
    // database that is not a replica would be compared forever.
    for (let tries = 0; tries < COMPARISONS_AT_ONCE; tries++) {
      this.#isDoubted = false;
      try {
        // Its reads return their own identity.
        this.#replica ??= await open(() => this.#compareAgain());
        const { identity, difference } = await compare(primary, this.#replica);
        this.#identity = difference === undefined ? identity : undefined;
        this.#tell(difference);
      } catch (error) {
        // While the primary is unavailable, the last result stays valid: the comparison failed because of the
        // primary.
        if (!primary.availability.isAway) this.#identity = undefined;
        if (error instanceof OperatorError) this.#tell(error.message);
      }
      if (!this.#isDoubted || this.#isClosed) break;
    }
    if (this.#isDoubted) this.#identity = undefined;
    this.#comparedAt = performance.now();
  }

  #tell(reason: string | undefined): void {
    if (reason === this.#toldReason || this.#isClosed) return;
    const { log } = this.#options;
    this.#toldReason = reason;
    const database = this.#replica?.name;
    if (reason === undefined) log.info({ database }, 'the replica is used again');
    else log.error({ database, reason }, 'the replica is not used: the primary is read instead');
  }
}

/** Gives the catalog its id, if it has none. The id distinguishes it from every other catalog. */
export async function ensureCatalogId(database: Database): Promise<void> {
  const known = await database.rows(`SELECT FROM settings WHERE name = '${CATALOG_ID}'`);
  if (known.length > 0) return;
  const sql = `INSERT INTO settings (name, value) VALUES ('${CATALOG_ID}', $1) ON CONFLICT DO NOTHING`;
  await database.write((tx) => tx.run(sql, [newId()]));
}
