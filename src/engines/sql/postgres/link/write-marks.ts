import { DAY_MS } from '../../../../common/clock.ts';
import { newId } from '../../../../common/ids.ts';
import type { Transaction } from './transaction.ts';

/** The prefix of rows in `leases`, which nothing else reads. If a process is killed, its rows expire. */
const PREFIX = 'write:';
/** Milliseconds since the epoch, as in `expires_at`. */
const NOW = '(extract(epoch FROM now()) * 1000)::bigint';
const CLEAR = `
  DELETE FROM leases WHERE name LIKE '${PREFIX}%'
    AND (name LIKE $1 || '%' OR expires_at < ${NOW})`;

/** One write, over all its attempts. */
export interface MarkedWrite<T> {
  slot: MarkSlot;
  /** The result of the last attempt, while it is unknown whether that attempt was committed. */
  unconfirmed: { result: T } | undefined;
}

/** The mark of one write at a time. */
interface MarkSlot {
  /** The statement that takes the lock of this slot, for writes that do not take the lock of all writers. */
  lock: string;
  /**
   * Begins a transaction with these statements, which take a lock that the last attempt took too, and marks it.
   * The mark exists if and only if the transaction is committed. If it is unknown whether the last attempt was
   * committed, and it was, marks nothing and returns true: that transaction held the lock, so it has ended.
   */
  begin(tx: Transaction, statements: string, isUnconfirmed: boolean): Promise<boolean>;
}

/**
 * Tells whether a write was committed if the result of its COMMIT was lost. The transaction ids of the server are not
 * suitable: after a crash or a failover, they are assigned again.
 */
export class WriteMarks {
  readonly #prefix = `${PREFIX}${newId()}:`;
  readonly #free: MarkSlot[] = [];
  #slots = 0;
  #lastMark = 0;

  get isUsed(): boolean {
    return this.#slots > 0;
  }

  /** Takes a slot for one write. The caller must release it. */
  take(): MarkSlot {
    return this.#free.pop() ?? this.#newSlot();
  }

  release(slot: MarkSlot): void {
    this.#free.push(slot);
  }

  /** Removes the marks of this process, and expired ones. */
  async clear(rows: Transaction['rows']): Promise<void> {
    await rows(CLEAR, [this.#prefix]);
  }

  #newSlot(): MarkSlot {
    const name = `${this.#prefix}${this.#slots++}`;
    let last = '';
    const isSet = async (tx: Transaction) => {
      const sql = 'SELECT 1 FROM leases WHERE name = $1 AND holder = $2';
      return (await tx.rows(sql, [name, last])).length > 0;
    };
    const mark = () => {
      last = String(++this.#lastMark);
      return `
        INSERT INTO leases (name, holder, expires_at) VALUES ('${name}', '${last}', ${NOW} + ${DAY_MS})
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at`;
    };
    return {
      lock: `SELECT pg_advisory_xact_lock(hashtextextended('${name}', 0))`,
      begin: async (tx, statements, isUnconfirmed) => {
        if (!isUnconfirmed) {
          await tx.script(`${statements}; ${mark()}`);
          return false;
        }
        await tx.script(statements);
        if (await isSet(tx)) return true;
        await tx.script(mark());
        return false;
      },
    };
  }
}
