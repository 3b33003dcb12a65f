import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { WriteContext } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { limited } from '../../../common/work/limited.ts';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import type { SettingStore } from '../../../engines/sql/setting-store.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import {
  dayOf,
  type SummaryQuery,
  totalsOf,
  type UsageReport,
  type UsageResult,
  type UsageSummary,
} from '../usage.ts';
import { sourceOf } from './usage-days.ts';
import { ReportWriter } from './usage-report.ts';
import { knownEvent } from './usage-rows.ts';
import { summarize } from './usage-summary.ts';
import { storeTrackSums } from './usage-sums-maker.ts';

/** The setting with the key of the HMAC of user ids: 32 random bytes as hex digits. */
const USER_KEY = 'usage_user_key';

/** Reports of one client wait for each other in the database, and must leave connections for reads. */
const REPORTS_AT_ONCE = 2;

/** The reported use of tracks. None of it is in the change log. It outlives its tracks and clients. */
export class UsageStore extends SqlStore {
  readonly #settings: SettingStore;
  readonly #inTurn = limited(REPORTS_AT_ONCE);
  #userKey: KeyObject | undefined;

  constructor(database: SqlDatabase, settings: SettingStore, clock: Clock) {
    super(database, clock);
    this.#settings = settings;
  }

  /**
   * Stores the accepted events in one transaction, and returns one result for each event, in their order.
   * An event counts once for its client, mode and `eventId`, also if reports run at the same time on several
   * nodes. Once the promise resolves, the events are on disk. `finish` of the context runs in the transaction.
   */
  async report(
    report: UsageReport,
    context?: WriteContext<readonly UsageResult[]>,
  ): Promise<readonly UsageResult[]> {
    return this.#inTurn(async () => {
      const userKey = await this.#keyOfUsers();
      const events = report.events.map((event) => knownEvent(event, userKey));
      return this.database.apart<readonly UsageResult[]>(
        (queries) => new ReportWriter(queries, this.database.dialect, report, events).write(),
        context,
      );
    });
  }

  /**
   * Adds up the events of a client and mode, in the order of `sortGroups`. The counts are exact, and include every
   * report that was answered before. Groups without events are left out.
   */
  async summary(query: SummaryQuery): Promise<UsageSummary> {
    const source = await sourceOf(this.database.queries, query);
    if (source === undefined) return { groups: [], count: 0, totals: totalsOf([]) };
    return summarize(this.database, source, query);
  }

  /**
   * Stores the sums of the tracks of past days and months, which makes summaries by track faster. Takes less than a minute
   * after ten million events, and little if few were reported since the last time. The signal ends it soon.
   */
  prepareSummaries(signal?: AbortSignal): Promise<void> {
    return storeTrackSums(this.database, dayOf(this.clock.now()), signal);
  }

  async #keyOfUsers(): Promise<KeyObject> {
    if (this.#userKey === undefined) {
      const key =
        (await this.#settings.get(USER_KEY)) ??
        (await this.#settings.add(USER_KEY, randomBytes(32).toString('hex')));
      // Made once, because making a key object takes longer than an HMAC.
      this.#userKey = createSecretKey(key, 'hex');
    }
    return this.#userKey;
  }
}
