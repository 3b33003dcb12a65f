import { LRUCache } from 'lru-cache';
import type { LanguageView } from '../../../common/caller.ts';
import { wordsInAllForms } from '../../../common/text/forms/other-forms.ts';
import { limited } from '../../../common/work/limited.ts';
import type { Change } from '../../../engines/change-log/change-log.ts';
import { Languages, shownText } from '../../languages/languages.ts';
import type { LanguageStore } from '../../languages/store/language-store.ts';
import { type FilterName, TRANSLATIONS, type TrackTexts } from '../../languages/translations.ts';
import type { LiveDocument } from '../catalog-stores.ts';
import type { TrackDocument } from '../track.ts';
import { localizedDocument, type TextDocument } from '../track-document.ts';

export type LanguageSource = Pick<
  LanguageStore,
  'available' | 'filterNames' | 'trackTexts' | 'manyTrackTexts' | 'textsOfTrack'
>;

/** The members in the log of updates that may change the languages. */
const OF_LANGUAGES: ReadonlySet<string> = new Set([TRANSLATIONS, 'language']);

/** Whether a change may add or remove a language. Creations and takedowns of tracks may. */
function mayChangeLanguages({ entity, kind, changed }: Change): boolean {
  if (entity === 'track' && kind !== 'updated') return true;
  if (entity === 'playlist' && kind === 'deleted') return true;
  return kind === 'updated' && (changed === null || changed.some((one) => OF_LANGUAGES.has(one)));
}

/** Whether a change may add or remove a name of a filter. Filters are removed with the tracks of a source. */
function mayChangeNames({ entity, kind }: Change): boolean {
  return entity === 'filter' || kind === 'removed';
}

/** What must be read of the store. With the names of filters, the languages are read, too. */
type Due = 'nothing' | 'languages' | 'names';

function dueAfter(changes: readonly Change[]): Due {
  if (changes.some(mayChangeNames)) return 'names';
  return changes.some(mayChangeLanguages) ? 'languages' : 'nothing';
}

/** The greatest size of the cache of localized documents. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The names of filters by the id of the filter and by language. */
export type FilterNames = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The localized documents of one track, by the language of the view. */
type Localized = ReadonlyMap<string | undefined, TextDocument>;

/** Reads documents in the order of the row ids; undefined for tracks that are not live. */
type ReadDocuments = (
  rowIds: readonly number[],
) => readonly (TrackDocument | undefined)[] | Promise<readonly (TrackDocument | undefined)[]>;

/**
 * The languages of the catalog, the translated names of filters, and the localized documents of tracks, which are made
 * when they are first read.
 */
export class LiveLanguages {
  readonly #store: LanguageSource;
  readonly #cache: LRUCache<number, Localized>;
  #languages: Languages;
  #filterNames: FilterNames = new Map();
  /** The words of the names by the id of the filter, made when they are first read. */
  readonly #filterWords = new Map<string, readonly (readonly string[])[]>();
  /** Incremented by each change, so that a text that was read before a change can be recognized. */
  #changes = 0;
  #version = 0;
  /** What must be read because of changes; an error leaves it, so that it is read with the next changes. */
  #due: Due = 'nothing';
  /** Runs one read of `#due` at a time, so that the last one to end is the newest. */
  readonly #reads = limited(1);

  /** @param original the language of texts that have none of their own */
  constructor({ store, original }: { store: LanguageSource; original: string }) {
    this.#store = store;
    this.#languages = new Languages(original);
    this.#cache = new LRUCache({ maxSize: MAX_BYTES, sizeCalculation: sizeOf });
  }

  /** The languages that can be chosen. */
  get all(): Languages {
    return this.#languages;
  }

  /** Rises whenever the numbers of texts of a language may have changed. */
  get version(): number {
    return this.#version;
  }

  /** Reads the languages and the names of filters again. Returns whether there are others. */
  refresh(): Promise<boolean> {
    this.#due = 'names';
    return this.#readDue();
  }

  /**
   * Applies changes of tracks, filters and playlists, of which some may be applied already. Returns whether this changes
   * the names or languages. The next call reads what an error has left out, whatever its changes.
   */
  async take(changes: readonly Change[]): Promise<boolean> {
    const due = dueAfter(changes);
    if (this.#due !== 'names' && due !== 'nothing') this.#due = due;
    return this.#due !== 'nothing' && this.#readDue();
  }

  filterName({ id, name }: { id: string; name: string }, view: LanguageView): string {
    const original = { text: name, language: this.#languages.original };
    return shownText(view, (language) => this.#filterNames.get(id)?.get(language), original).text;
  }

  /** The translated names by the id of the filter and by language; the same map until one changes. */
  get filterNames(): FilterNames {
    return this.#filterNames;
  }

  /** The words of each translated name of a filter, in any order. The same list is returned until a name changes. */
  wordsOf(filterId: string): readonly (readonly string[])[] {
    let words = this.#filterWords.get(filterId);
    if (words === undefined) {
      words = [...(this.#filterNames.get(filterId)?.values() ?? [])].map(wordsInAllForms);
      if (words.length > 0) this.#filterWords.set(filterId, words);
    }
    return words;
  }

  /**
   * Returns the localized documents of tracks, at once if all are in memory; undefined for tracks that are not live.
   */
  documents(
    rowIds: readonly number[],
    view: LanguageView,
    read: ReadDocuments,
  ): (TrackDocument | undefined)[] | Promise<(TrackDocument | undefined)[]> {
    const found = rowIds.map((rowId) => this.#cache.get(rowId)?.get(view.language));
    return found.includes(undefined) ? this.#withMissing(rowIds, found, view, read) : found;
  }

  async document(document: TrackDocument, view: LanguageView): Promise<TrackDocument> {
    return this.#localized(document, view, await this.#store.textsOfTrack(document.id, view.chain));
  }

  /** Returns the localized form of documents of a walk over live tracks, which are not kept. */
  async uncached(tracks: readonly LiveDocument[], view: LanguageView): Promise<LiveDocument[]> {
    const texts = await this.#store.manyTrackTexts(
      tracks.map(({ rowId }) => rowId),
      view.chain,
    );
    return tracks.map(({ rowId, document }) => ({
      rowId,
      document: this.#localized(document, view, texts.get(rowId)),
    }));
  }

  /** Must be called with every track that changes, after the commit of the change and before it is visible. */
  forget(rowIds: Iterable<number>): void {
    this.#changes++;
    if (this.#cache.size === 0) return;
    for (const rowId of rowIds) this.#cache.delete(rowId);
  }

  forgetAll(): void {
    this.#changes++;
    this.#cache.clear();
  }

  #readDue(): Promise<boolean> {
    return this.#reads(async () => {
      const due = this.#due;
      // Another call has read it already.
      if (due === 'nothing') return false;
      // A change that comes during the read makes it due again.
      this.#due = 'nothing';
      try {
        const available = await this.#store.available();
        const names = due === 'names' ? await this.#store.filterNames() : undefined;
        const hasLanguages = this.#takeLanguages(available);
        return (names !== undefined && this.#takeNames(names)) || hasLanguages;
      } catch (error) {
        if ((this.#due as Due) !== 'names') this.#due = due;
        throw error;
      }
    });
  }

  #takeLanguages(available: readonly string[]): boolean {
    this.#version++;
    if (this.#languages.has(available)) return false;
    this.#languages = new Languages(this.#languages.original, available);
    this.forgetAll();
    return true;
  }

  #takeNames(names: readonly FilterName[]): boolean {
    const byFilter = new Map<string, Map<string, string>>();
    for (const { filterId, language, name } of names) {
      const known = byFilter.get(filterId);
      if (known === undefined) byFilter.set(filterId, new Map([[language, name]]));
      else known.set(language, name);
    }
    if (areEqual(byFilter, this.#filterNames)) return false;
    this.#filterNames = byFilter;
    this.#filterWords.clear();
    this.forgetAll();
    return true;
  }

  async #withMissing(
    rowIds: readonly number[],
    found: readonly (TextDocument | undefined)[],
    view: LanguageView,
    read: ReadDocuments,
  ): Promise<(TrackDocument | undefined)[]> {
    const changes = this.#changes;
    const missing = rowIds.filter((_, i) => found[i] === undefined);
    // The document of a live track is read first, so that its texts are never older.
    const documents = await read(missing);
    const texts = await this.#store.trackTexts(missing, view.chain);
    let next = 0;
    return found.map((known) => {
      if (known !== undefined) return known;
      const [rowId, document] = [missing[next]!, documents[next]];
      next++;
      if (document === undefined) return undefined;
      const localized = this.#localized(document, view, texts.get(rowId));
      // What was read before a change may be outdated, so it is not kept.
      if (changes === this.#changes) {
        const others = this.#cache.peek(rowId) ?? [];
        this.#cache.set(rowId, new Map([...others, [view.language, localized]]));
      }
      return localized;
    });
  }

  #localized(
    document: TrackDocument,
    view: LanguageView,
    texts: TrackTexts | undefined,
  ): TextDocument {
    return localizedDocument(document, {
      view,
      original: this.#languages.original,
      texts,
      filterName: (id, language) => this.#filterNames.get(id)?.get(language),
    });
  }
}

function areEqual(names: FilterNames, others: FilterNames): boolean {
  if (names.size !== others.size) return false;
  for (const [filterId, byLanguage] of names) {
    const other = others.get(filterId);
    if (other?.size !== byLanguage.size) return false;
    for (const [language, name] of byLanguage) {
      if (other.get(language) !== name) return false;
    }
  }
  return true;
}

/** The memory of the map of a track, and of an entry of it. */
const MAP_BYTES = 200;
const ENTRY_BYTES = 100;

function sizeOf(localized: Localized): number {
  let bytes = MAP_BYTES;
  for (const document of localized.values()) bytes += document.memoryBytes + ENTRY_BYTES;
  return bytes;
}
