import { sql } from 'kysely';
import type { Clock } from '../../../common/clock.ts';
import type { Queries, SqlDatabase } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import {
  MAX_ATTEMPTS,
  NODE_MS,
  type RenditionClaim,
  type RenditionFile,
  type RenditionNode,
  type RenditionState,
} from '../rendition.ts';
import {
  BACKGROUND,
  IS_QUEUED,
  IS_RUNNING,
  type JobTable,
  jobsOf,
  updateNamed,
} from './rendition-rows.ts';

/** The most attempts of a claim if other nodes are always faster. */
const CLAIM_TRIES = 20;
/** The time after which the row of a node is deleted. */
const GONE_MS = 60 * NODE_MS;

const NO_CLAIM = { claimedBy: null, claimedUntil: null };

/** The claims of nodes that make renditions. A claim has one holder at a time, also among nodes. */
export class RenditionClaimStore extends SqlStore {
  readonly #jobs: ReturnType<typeof jobsOf>;

  constructor(database: SqlDatabase, clock: Clock, table: JobTable = 'renditions') {
    super(database, clock);
    this.#jobs = jobsOf(table);
  }

  /**
   * Claims for `ms` milliseconds the renditions of one audio file that the holder decodes: the last requested one, or
   * else the oldest. Ends expired claims first. Returns undefined if there is nothing to make.
   *
   * @param onlyRequested leaves the jobs that nobody requested
   */
  async claim(
    holder: string,
    formats: readonly string[],
    ms: number,
    onlyRequested = false,
  ): Promise<RenditionClaim | undefined> {
    for (let tries = 0; tries < CLAIM_TRIES; tries++) {
      await this.#endExpired();
      const first = await this.#firstQueued(formats);
      if (first === undefined || (onlyRequested && first.priority <= BACKGROUND)) return undefined;
      const claimed = await this.#claimAudio(first, { holder, formats, ms });
      if (claimed.length === 0) continue;
      return {
        audioKey: first.audioKey,
        holder,
        // PostgreSQL returns rows in any order.
        names: claimed
          .map(({ postponements: _, ...name }) => name)
          .sort((a, b) => (a.kind < b.kind ? -1 : 1)),
        postponements: Math.max(...claimed.map(({ postponements }) => postponements)),
      };
    }
    return undefined;
  }

  /** Extends a claim to `ms` milliseconds from now. Returns false if another holder has it. */
  async renew(claim: RenditionClaim, ms: number): Promise<boolean> {
    return (await this.#update(claim, { claimedUntil: this.#fromNow(ms) })).length > 0;
  }

  /**
   * Stores the files, in the order of the names of the claim. Does nothing, and returns false, if another holder has the
   * claim.
   */
  async finish(claim: RenditionClaim, files: readonly RenditionFile[]): Promise<boolean> {
    return this.database.apart(async (queries) => {
      let updated = 0n;
      for (const [i, { audioKey, kind, variant }] of claim.names.entries()) {
        const { mediaKey, sizeBytes: size } = files[i]!;
        const { numUpdatedRows } = await queries
          .updateTable(this.#jobs)
          .set({ ...NO_CLAIM, state: 'done', mediaKey, size, error: null, postponements: 0 })
          .set({ updatedAt: this.#fromNow(0) })
          .where('audioKey', '=', audioKey)
          .where('kind', '=', kind)
          .where('variant', '=', variant)
          .where('state', '=', 'running')
          .where('claimedBy', '=', claim.holder)
          .executeTakeFirstOrThrow();
        updated += numUpdatedRows;
      }
      return updated > 0n;
    });
  }

  /**
   * Ends a claim with a reason, a line for people. If the attempt may be repeated, the renditions are queued again until
   * they fail after MAX_ATTEMPTS. Returns whether they failed.
   */
  async fail(claim: RenditionClaim, reason: string, mayRepeat: boolean): Promise<boolean> {
    const states = await this.#update(claim, {
      ...NO_CLAIM,
      state: mayRepeat ? queuedOrFailed : ('failed' as const),
      error: reason,
      updatedAt: this.#fromNow(0),
    });
    return states.includes('failed');
  }

  /** Ends a claim as if it had not begun. `format` replaces the extension as the format that a node must decode. */
  async release(claim: RenditionClaim, format?: string): Promise<void> {
    await this.#update(claim, {
      ...NO_CLAIM,
      state: 'queued' as const,
      attempts: sql<number>`renditions.attempts - 1`,
      ...(format !== undefined && { format }),
    });
  }

  /**
   * Ends a claim with a reason, as if it had not begun, and queues it last. It can be claimed again after `ms`
   * milliseconds, or when it is requested.
   */
  async postpone(claim: RenditionClaim, reason: string, ms: number): Promise<void> {
    await this.#update(claim, {
      ...NO_CLAIM,
      state: 'queued' as const,
      attempts: sql<number>`renditions.attempts - 1`,
      postponements: sql<number>`renditions.postponements + 1`,
      priority: BACKGROUND,
      error: reason,
      updatedAt: this.#fromNow(ms),
    });
  }

  async see({ node, formats }: RenditionNode): Promise<void> {
    const row = { formats: JSON.stringify(formats), seenAt: this.#fromNow(0) };
    await this.database.apart(async (queries) => {
      await queries
        .insertInto('renditionNodes')
        .values({ node, ...row })
        .onConflict((conflict) => conflict.column('node').doUpdateSet(row))
        .execute();
      await queries
        .deleteFrom('renditionNodes')
        .where('seenAt', '<=', this.#fromNow(-GONE_MS))
        .execute();
    });
  }

  async leave(node: string): Promise<void> {
    await this.database.apart((queries) =>
      queries.deleteFrom('renditionNodes').where('node', '=', node).execute(),
    );
  }

  async #endExpired(): Promise<void> {
    const hasExpired = (queries: Queries) =>
      queries
        .selectFrom(this.#jobs)
        .select('audioKey')
        .where(IS_RUNNING)
        .where('claimedUntil', '<=', this.#fromNow(0))
        .limit(1)
        .executeTakeFirst();
    // Without the write lock, because there is almost never anything to do.
    if ((await hasExpired(this.database.queries)) === undefined) return;
    await this.database.apart((queries) =>
      queries
        .updateTable(this.#jobs)
        .set({
          ...NO_CLAIM,
          state: queuedOrFailed,
          error: 'making it was interrupted: the node ended, or did not answer',
        })
        .where(IS_RUNNING)
        .where('claimedUntil', '<=', this.#fromNow(0))
        .execute(),
    );
  }

  /**
   * Returns the first job of the formats, with one look-up in the index for each. If the first job of a format is
   * postponed, all others of the format are postponed for longer.
   */
  async #firstQueued(formats: readonly string[]) {
    const { queries } = this.database;
    const firstOf = (format: string) =>
      queries
        .selectFrom(
          queries
            .selectFrom(this.#jobs)
            .select(['audioKey', 'kind', 'variant', 'priority', 'updatedAt'])
            .where(IS_QUEUED)
            .where('format', '=', format)
            .orderBy('priority', 'desc')
            .orderBy('updatedAt')
            .limit(1)
            .as('first'),
        )
        .select([
          'first.audioKey',
          'first.kind',
          'first.variant',
          'first.priority',
          'first.updatedAt',
        ])
        .where(({ or, eb }) =>
          or([
            eb('first.priority', '>', sql.lit(BACKGROUND)),
            eb('first.updatedAt', '<=', this.#fromNow(0)),
          ]),
        );
    const [format, ...others] = formats;
    if (format === undefined) return undefined;
    return others
      .reduce((all, other) => all.unionAll(firstOf(other)), firstOf(format))
      .orderBy('priority', 'desc')
      .orderBy('updatedAt')
      .limit(1)
      .executeTakeFirst();
  }

  /** Claims the queued renditions of an audio file, with one clip at most. Returns [] if others were faster. */
  #claimAudio(
    first: RenditionClaim['names'][number],
    { holder, formats, ms }: { holder: string; formats: readonly string[]; ms: number },
  ) {
    return this.database.apart(async (queries) => {
      let clip = first.kind === 'preview' ? first.variant : undefined;
      if (clip === undefined) {
        const next = await queries
          .selectFrom(this.#jobs)
          .select('variant')
          .where('audioKey', '=', first.audioKey)
          .where('kind', '=', 'preview')
          .where('state', '=', 'queued')
          .orderBy('priority', 'desc')
          .orderBy('variant')
          .limit(1)
          .executeTakeFirst();
        clip = next?.variant;
      }
      return queries
        .updateTable(this.#jobs)
        .set(({ eb }) => ({
          state: 'running',
          attempts: eb('attempts', '+', 1),
          claimedBy: holder,
          claimedUntil: this.#fromNow(ms),
          updatedAt: this.#fromNow(0),
        }))
        .where('audioKey', '=', first.audioKey)
        .where('state', '=', 'queued')
        .where(({ ref }) => this.database.dialect.isOneOf(ref('format'), formats))
        .where(({ or, eb }) =>
          or([
            eb('kind', '!=', 'preview'),
            ...(clip === undefined ? [] : [eb('variant', '=', clip)]),
          ]),
        )
        .returning(['audioKey', 'kind', 'variant', 'postponements'])
        .execute();
    });
  }

  /** Changes the rows of a claim that the holder still has, and returns their states. */
  #update({ names, holder }: RenditionClaim, set: object): Promise<RenditionState[]> {
    return this.database.apart(async (queries) => {
      const rows = await updateNamed(queries, this.database.dialect, { names, jobs: this.#jobs })
        .set(set)
        .where('renditions.state', '=', 'running')
        .where('renditions.claimedBy', '=', holder)
        .returning('state')
        .execute();
      return rows.map(({ state }) => state);
    });
  }

  #fromNow(ms: number) {
    return sql<number>`${this.database.dialect.now()} + ${sql.lit(ms)}`;
  }
}

const queuedOrFailed = sql<
  'queued' | 'failed'
>`CASE WHEN renditions.attempts < ${sql.lit(MAX_ATTEMPTS)} THEN 'queued' ELSE 'failed' END`;
