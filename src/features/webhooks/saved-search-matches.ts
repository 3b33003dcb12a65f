import type { Clock } from '../../common/clock.ts';
import { newSortableId } from '../../common/ids.ts';
import type {
  Creation,
  FanOutStore,
  NotifyingSearch,
  PresentTracks,
  SearchMatches,
} from './store/fan-out-store.ts';
import { type ChainStep, type HeldChain, isHeldBack, type Subscriber } from './subscriber.ts';
import { payloadOf } from './webhook.ts';

const TYPE = 'saved_search.matched';
/** The least time between two messages about a search. */
const PAUSE_MS = 60_000;
/** The most tracks that a message names. */
const MAX_TRACKS = 50;
/** The number of searches whose messages are stored in one transaction. */
const STORED_AT_ONCE = 20;

interface IndexState {
  /** The index has all changes of tracks up to this one. */
  position: number;
  /** Rises whenever a search may find other tracks. */
  version: number;
}

/** The new tracks of a search. */
export interface FoundTracks {
  total: number;
  /** The greatest ones first, at most the limit of the request. */
  rowIds: readonly number[];
}

/** Finds the tracks of searches in the index of this node, which may be in another thread. */
export interface TrackFinder {
  state(): Promise<IndexState>;
  /** Finds the live tracks with row ids in a range that match a saved search. */
  find(
    search: Pick<NotifyingSearch, 'clientId' | 'query'>,
    request: { rowIdAbove: number; rowIdTo: number; limit: number },
  ): Promise<FoundTracks>;
}

/** The tracks that one endpoint gets. */
interface EndpointMatch {
  subscriber: Subscriber;
  held: HeldChain | undefined;
  found: FoundTracks;
}

interface SearchMatch {
  search: NotifyingSearch;
  endpoints: EndpointMatch[];
}

interface Indexed {
  /** Tracks that are all in the index; undefined if none are known. */
  present: PresentTracks | undefined;
  version: number;
}

/** The versions of searches without new tracks, by search and range. */
type Fruitless = Map<string, string>;

/** Makes messages of the new tracks of saved searches. */
export class SavedSearchMatches {
  readonly #store: FanOutStore;
  readonly #finder: TrackFinder;
  readonly #clock: Clock;
  /** The last tracks that were all in the index. */
  #reached: PresentTracks | undefined;
  /** Tracks that the index did not have yet when they were read. */
  #awaited: PresentTracks | undefined;
  #fruitless: Fruitless = new Map();

  constructor(deps: { store: FanOutStore; finder: TrackFinder; clock: Clock }) {
    this.#store = deps.store;
    this.#finder = deps.finder;
    this.#clock = deps.clock;
  }

  /**
   * Makes a message for each search that has new tracks in the index, unless one was made in the last minute.
   * @param epoch the epoch of the change log
   * @param signal ends the run early
   */
  async run(
    epoch: string,
    subscribers: readonly Subscriber[],
    signal?: AbortSignal,
  ): Promise<void> {
    const interested = subscribers.filter(({ chains }) => chains.has(TYPE));
    if (interested.length === 0) return;
    const index = await this.#indexed();
    const { present } = index;
    const now = this.#clock.now();
    const fruitless: Fruitless = new Map();
    let matches: SearchMatch[] = [];
    for (const search of await this.#store.notifying()) {
      if (signal?.aborted) return;
      if (!isDue(search, now)) continue;
      const own = interested.filter(
        ({ clientId, mode }) => clientId === search.clientId && mode === search.mode,
      );
      const endpoints = await this.#matchesOf(search, own, index, fruitless);
      if (endpoints.length > 0) matches.push({ search, endpoints });
      if (matches.length === STORED_AT_ONCE) {
        await this.#add(epoch, matches, present, now);
        matches = [];
      }
    }
    await this.#add(epoch, matches, present, now);
    this.#fruitless = fruitless;
  }

  /** Returns tracks that are all in the index. Tracks that it does not have yet are left to a later run. */
  async #indexed(): Promise<Indexed> {
    const present = await this.#store.presentTracks();
    const { position, version } = await this.#finder.state();
    const isIn = (tracks: PresentTracks) => tracks.seq <= position;
    if (isIn(present)) [this.#reached, this.#awaited] = [present, undefined];
    else if (this.#awaited === undefined) this.#awaited = present;
    else if (isIn(this.#awaited)) [this.#reached, this.#awaited] = [this.#awaited, present];
    return { present: this.#reached, version };
  }

  /** Finds the new tracks of one search for each endpoint. An endpoint that began later gets fewer. */
  async #matchesOf(
    search: NotifyingSearch,
    subscribers: readonly Subscriber[],
    index: Indexed,
    fruitless: Fruitless,
  ): Promise<EndpointMatch[]> {
    const known = new Map<number, FoundTracks>();
    const matches: EndpointMatch[] = [];
    for (const subscriber of subscribers) {
      const { startRowId } = subscriber.chains.get(TYPE)!;
      const rowIdAbove = Math.max(search.notifiedRowId, startRowId);
      const found =
        known.get(rowIdAbove) ?? (await this.#find(search, rowIdAbove, index, fruitless));
      known.set(rowIdAbove, found);
      const held = subscriber.held.find((one) => one.type === TYPE && one.subject === search.id);
      if (found.total > 0 || held !== undefined) matches.push({ subscriber, held, found });
    }
    return matches;
  }

  async #find(
    { id, clientId, query }: NotifyingSearch,
    rowIdAbove: number,
    { present, version }: Indexed,
    fruitless: Fruitless,
  ): Promise<FoundTracks> {
    const nothing = { total: 0, rowIds: [] };
    if (present === undefined || rowIdAbove >= present.rowId) return nothing;
    const key = `${id} ${rowIdAbove}`;
    const state = `${version} ${present.rowId} ${query}`;
    const isKnown = this.#fruitless.get(key) === state;
    const request = { rowIdAbove, rowIdTo: present.rowId, limit: MAX_TRACKS };
    const found = isKnown ? nothing : await this.#finder.find({ clientId, query }, request);
    if (found.total === 0) fruitless.set(key, state);
    return found;
  }

  async #add(
    epoch: string,
    matches: readonly SearchMatch[],
    present: PresentTracks | undefined,
    now: number,
  ): Promise<void> {
    if (matches.length === 0) return;
    const found = matches.flatMap(({ endpoints }) => endpoints.map((one) => one.found.rowIds));
    const ids = await this.#store.trackIds([...new Set(found.flat())]);
    const lasts = new Set(found.flatMap((rowIds) => rowIds.slice(0, 1)));
    const creations = await this.#store.creations([...lasts]);
    const names = matches.flatMap(({ search, endpoints }) =>
      endpoints.map(({ subscriber: { rowId: webhookRowId } }) => {
        return { webhookRowId, type: TYPE, subject: search.id } as const;
      }),
    );
    const previous = await this.#store.subjectChains(names);
    let next = 0;
    const all = matches.map(({ search, endpoints }): SearchMatches => {
      const isNew = endpoints.some((one) => one.found.total > 0);
      const steps = endpoints.flatMap((one) => {
        const { startSeq, seq } = one.subscriber.chains.get(TYPE)!;
        const begin = search.createdSeq > startSeq ? search.createdSeq : seq;
        const previousSeq = previous[next++] ?? begin;
        return stepsOf(search, one, { ids, creations, present, previousSeq, now });
      });
      return { search, steps, notifiedRowId: isNew ? present!.rowId : search.notifiedRowId };
    });
    const changed = all.filter(({ steps }) => steps.length > 0);
    await this.#store.appendMatches(epoch, changed, now);
  }
}

/** Whether a message may be made now. A clock that was set back does not delay it. */
function isDue({ notifiedAt }: NotifyingSearch, now: number): boolean {
  return notifiedAt === null || now >= notifiedAt + PAUSE_MS || now < notifiedAt;
}

/** Returns the message to one endpoint, or the new tracks that wait for the next message; nothing if none are new. */
function stepsOf(
  search: NotifyingSearch,
  { subscriber, held: chain, found }: EndpointMatch,
  {
    ids,
    creations,
    present,
    previousSeq,
    now,
  }: {
    ids: ReadonlyMap<number, string>;
    creations: ReadonlyMap<number, Creation>;
    present: PresentTracks | undefined;
    previousSeq: number;
    now: number;
  },
): ChainStep[] {
  const held = chain?.held;
  // The log may no longer have the change that created the track.
  const last = creations.get(found.rowIds[0]!) ?? { seq: present?.seq ?? 0, at: now };
  const { seq, at } = found.total > 0 ? last : held!;
  const fromSeq = held?.fromSeq ?? seq;
  const count = found.total + (held?.count ?? 0);
  const newIds = found.rowIds.flatMap((rowId) => ids.get(rowId) ?? []);
  const before = (held?.members as { trackIds: string[] } | undefined)?.trackIds ?? [];
  const members = { trackIds: [...newIds, ...before].slice(0, MAX_TRACKS) };
  const name = { subscriber, type: TYPE, subject: search.id, previousSeq } as const;
  if (isHeldBack(subscriber, TYPE, now)) {
    return found.total > 0 ? [{ ...name, held: { fromSeq, seq, at, count, members } }] : [];
  }
  const data = {
    ...{ mode: subscriber.mode, savedSearchId: search.id, name: search.name, count, ...members },
    ...{ seq, previousSeq },
  };
  const body = payloadOf(TYPE, at, data);
  return [{ ...name, id: newSortableId(now), fromSeq, seq, count, body }];
}
