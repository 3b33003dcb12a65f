import type { RegionGroup } from '../common/codes.ts';
import type { Log } from '../common/log.ts';
import { Follower, type FollowerOptions } from '../engines/change-log/follower.ts';
import { LogBell } from '../engines/change-log/log-bell.ts';
import { ValidPositions } from '../engines/change-log/positions.ts';
import type { SegmentColumns } from '../engines/search/segments/columns.ts';
import { KeyRing } from '../features/access/key-ring.ts';
import { ACCESS_ENTITIES, ClientRegistry } from '../features/access/registry.ts';
import { LiveSynonyms } from '../features/briefs/live-synonyms.ts';
import type {
  DocumentColumns,
  DocumentCopy,
  DocumentMaker,
} from '../features/catalog/document-copy.ts';
import { CATALOG_ENTITIES, isOfTrack } from '../features/catalog/live/catch-up.ts';
import { LiveAudio } from '../features/catalog/live/live-audio.ts';
import { LiveCatalog } from '../features/catalog/live/live-catalog.ts';
import { LiveLanguages } from '../features/catalog/live/live-languages.ts';
import { LicenseKeys } from '../features/licensing/license-keys.ts';
import { LiveRateCards } from '../features/licensing/live-rate-cards.ts';
import { PopularityFeed } from '../features/popularity/popularity.ts';
import type { Store } from '../features/store.ts';
import { DocumentCopies } from './indexing/document-copies.ts';
import { type IndexMaker, ServiceIndexSource } from './indexing/index-source.ts';
import type { AppContext } from './open/context.ts';

/** A poll of SQLite is one read of a local file. */
const SQLITE_POLL_MS = 100;

/** PostgreSQL also announces each commit. */
const POSTGRES_POLL_MS = 250;

/** Longer, because popularity counts all licenses again after a change. */
const POPULARITY_POLL_MS = 1_000;

/** The log has a persistent error at most once in this time. */
const ERROR_LOG_INTERVAL_MS = 10_000;

type SharedOptions = Pick<FollowerOptions, 'log' | 'pollMs' | 'watch' | 'onError'>;

export interface ViewsOptions {
  /** The head of the change log, read before anything else of the store. */
  from: number;
  maker: IndexMaker;
  documentMaker: DocumentMaker;
  openDocuments(columns: DocumentColumns): DocumentCopy;
  /** Whether this node merges its index itself, and requests copies of the documents. */
  isFirst: boolean;
}

/**
 * The views that a node keeps in memory: clients, keys, audio of tracks, catalog and popularity. Each of them
 * follows the change log. Clients and audio have followers of their own, so that a revocation, a takedown or a new
 * name of a filter does not wait until the index has applied the preceding changes.
 */
export class Views {
  readonly keyRing: KeyRing;
  readonly licenseKeys: LicenseKeys;
  readonly rateCards: LiveRateCards;
  /** What words of briefs mean. */
  readonly synonyms: LiveSynonyms;
  readonly registry: ClientRegistry;
  readonly audio: LiveAudio;
  readonly catalog: LiveCatalog;
  /** Rings when the catalog has applied changes, and when those of clients are applied. */
  readonly bell = new LogBell();
  /** As of the last poll of the catalog's follower. */
  readonly positions = new ValidPositions();
  readonly #store: Store;
  readonly #log: Log;
  readonly #source: ServiceIndexSource;
  readonly #documents: DocumentCopies;
  readonly #popularity: PopularityFeed;
  readonly #shared: SharedOptions;
  readonly #access: Follower;
  readonly #audio: Follower;
  #catalog: Follower | undefined;
  #licenses: Follower | undefined;
  #isStopping = false;

  /** The views are empty until `load`. */
  constructor(
    { store, config, clock, log }: AppContext,
    { from, maker, documentMaker, openDocuments, isFirst }: ViewsOptions,
  ) {
    this.#store = store;
    this.#log = log;
    this.keyRing = new KeyRing({ keys: store.keys, clock });
    this.licenseKeys = new LicenseKeys({ keys: store.licenseKeys, clock });
    this.rateCards = new LiveRateCards({ rateCards: store.rateCards, log });
    this.synonyms = new LiveSynonyms(store.synonyms);
    this.registry = new ClientRegistry(store);
    this.audio = new LiveAudio(store.catalog);
    this.#source = new ServiceIndexSource({
      ...{ store, maker, merges: isFirst, language: config.catalogLanguage },
    });
    this.catalog = new LiveCatalog({
      store: store.catalog,
      source: this.#source,
      languages: new LiveLanguages({
        store: store.languages,
        original: config.catalogLanguage,
      }),
    });
    this.#documents = new DocumentCopies({
      catalog: this.catalog,
      changes: store.changes,
      maker: documentMaker,
      open: openDocuments,
      log,
      requests: isFirst,
    });
    this.#popularity = new PopularityFeed({
      licenses: store.licenses,
      changes: store.changes,
      catalog: this.catalog,
    });
    this.#shared = {
      log: store.changes,
      pollMs: config.database === null ? SQLITE_POLL_MS : POSTGRES_POLL_MS,
      watch: (wake) => store.changes.watch(wake),
      onError: followerErrors(store, log, () => this.#isStopping),
    };
    this.#access = new Follower({
      ...this.#shared,
      entities: [...ACCESS_ENTITIES, 'rate_card', 'brief'],
      from,
      apply: async (changes) => {
        await this.keyRing.apply(changes);
        await this.licenseKeys.apply(changes);
        await this.rateCards.apply(changes);
        await this.synonyms.apply(changes);
        await this.registry.apply(changes);
        this.bell.wakeAll();
      },
    });
    this.#audio = new Follower({
      ...this.#shared,
      entities: CATALOG_ENTITIES,
      from,
      apply: async (changes) => {
        this.audio.forget(changes.filter(isOfTrack).map(({ entityId }) => entityId));
        await this.catalog.applyEarly(changes);
      },
    });
  }

  /** Resolves when the views contain everything that was committed before the call. */
  async load(): Promise<void> {
    const head = await this.#store.changes.head();
    await this.rateCards.load();
    await this.synonyms.load();
    await this.registry.load();
    await Promise.all([this.catalog.load(), this.#popularity.load()]);
    this.#catalog = new Follower({
      ...this.#shared,
      log: this.#observedLog(),
      entities: CATALOG_ENTITIES,
      from: this.catalog.position,
      apply: async (changes, head) => {
        const reached = await this.catalog.apply(changes, head);
        const isAll = reached === changes.at(-1)!.seq;
        const tracks = changes.filter(isOfTrack);
        this.bell.ring(reached, isAll ? tracks : undefined);
        return reached;
      },
    });
    this.#licenses = new Follower({
      ...this.#shared,
      watch: undefined,
      entities: ['license'],
      from: this.#popularity.position,
      pollMs: POPULARITY_POLL_MS,
      apply: (changes) => this.#popularity.apply(changes),
    });
    for (const follower of this.#followers()) follower.start();
    // The index may come from a snapshot, which lacks the latest changes.
    await this.#catalog.caughtUp(head);
    await Promise.all([this.#access.poll(), this.#audio.poll()]);
    this.#documents.start();
  }

  /** Applies all changes of clients and keys in the log. */
  async catchUpAccess(): Promise<void> {
    await this.#access.poll();
  }

  /** From the rate card of the client. */
  regionGroupsOf(clientId: string): readonly RegionGroup[] {
    return this.rateCards.groupsOf(this.registry.find(clientId)?.rateCard);
  }

  /** Replaces the index by a newer one that another worker of the process has made. */
  async adoptIndex(columns: SegmentColumns): Promise<void> {
    const isNewer = await this.#source.adopt(columns, (base) =>
      this.catalog.adopt(base, this.#store.changes),
    );
    if (isNewer) this.#log.info({ tracks: columns.meta.size }, 'search index shared');
  }

  /** The changes of tracks that the index has not applied yet, counted in seqs. */
  get catalogLag(): number {
    return this.#catalog?.lag ?? 0;
  }

  /** The milliseconds since the node saw the first change of a track that the catalog, and so the feed, does not show. */
  get feedLagMs(): number {
    return this.#catalog?.behindMs ?? 0;
  }

  /**
   * For each follower, the milliseconds since it last saw the end of the change log. A follower that applies
   * a large import counts as current, because it sees the log, although not its end.
   */
  silence(): readonly (readonly [follower: string, ms: number])[] {
    return [
      ['access', this.#access.unconfirmedMs],
      ['audio', this.#audio.unconfirmedMs],
      ['catalog', this.#catalog?.stalledMs ?? 0],
      ['licenses', this.#licenses?.stalledMs ?? 0],
    ];
  }

  /** Stops the followers, each after the batch that it applies. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await using resources = new AsyncDisposableStack();
    for (const follower of this.#followers()) resources.defer(() => follower.stop());
    resources.defer(() => this.#documents.close());
    // The source is closed first, because this ends a build of the index, for which a follower would wait
    // many seconds.
    resources.defer(() => this.#source.close());
  }

  /** Each read of the head also updates `positions`. */
  #observedLog(): FollowerOptions['log'] {
    const { changes } = this.#store;
    return {
      since: (seq, entities, limit) => changes.since(seq, entities, limit),
      head: async () => {
        const bounds = await changes.bounds();
        this.positions.observe(bounds);
        return bounds.head;
      },
    };
  }

  #followers(): Follower[] {
    return [this.#access, this.#audio, this.#catalog, this.#licenses].filter(
      (follower) => follower !== undefined,
    );
  }
}

/**
 * Returns the function that logs errors of followers, unless the store has already logged that the database
 * is unavailable, or a stop has ended the work on the index.
 */
function followerErrors(
  store: Pick<Store, 'isReachable'>,
  log: Log,
  isStopping: () => boolean,
): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (
      isStopping() ||
      !store.isReachable() ||
      performance.now() - loggedAt < ERROR_LOG_INTERVAL_MS
    )
      return;
    loggedAt = performance.now();
    log.error({ err: error }, 'following the change log failed');
  };
}
