import { signal } from '@preact/signals';
import type { Brief, Facets, Track, Warning } from '#client';
import { PAGE_SIZE, type Row, type TrackSource } from './source.ts';

/** The most pages that are kept: 10,000 tracks. Those that were asked for longest ago go first. */
const MAX_PAGES = 200;

let count = 0;

/** The tracks of a list, of which only those are requested that somebody looks at. */
export class TrackPages {
  /** Differs for each list. */
  readonly key: number = ++count;
  readonly source: TrackSource;
  /** The number of all tracks; undefined before the first page has arrived. */
  readonly total = signal<number | undefined>(undefined);
  readonly facets = signal<Facets | undefined>(undefined);
  /** How a brief was understood, if the list is of one. */
  readonly brief = signal<Brief | undefined>(undefined);
  readonly warnings = signal<readonly Warning[]>([]);
  /** Why a page could not be loaded. */
  readonly failure = signal<unknown>(undefined);
  /** Changes when pages arrive. */
  readonly arrivals = signal(0);
  readonly #pages = new Map<number, Row[]>();
  readonly #requests = new Map<number, { abort: AbortController; done: Promise<void> }>();

  constructor(source: TrackSource) {
    this.source = source;
  }

  /** The track at a place from 0; undefined if it is not loaded. */
  at(index: number): Row | undefined {
    return index < 0 ? undefined : this.#pages.get(pageOf(index))?.[index % PAGE_SIZE];
  }

  /** A track that is loaded, by its slug. */
  find(slug: string): Track | undefined {
    return this.at(this.indexOf(slug))?.track;
  }

  /** The place of a track that is loaded; -1 if it is not. */
  indexOf(slug: string): number {
    for (const [page, rows] of this.#pages) {
      const place = rows.findIndex(({ track }) => track.slug === slug);
      if (place >= 0) return (page - 1) * PAGE_SIZE + place;
    }
    return -1;
  }

  /** Requests what is missing of these places, and gives up other requests. */
  want(first: number, last: number): void {
    for (const [page, { abort }] of this.#requests) {
      if (page < pageOf(first) || page > pageOf(last)) abort.abort();
    }
    for (let page = pageOf(first); page <= pageOf(last); page++) this.#request(page);
  }

  /** The track at a place, requested if necessary. Undefined if there is none or it cannot be loaded. */
  async get(index: number): Promise<Row | undefined> {
    if (index < 0 || index >= (this.total.value ?? Infinity)) return undefined;
    await this.#request(pageOf(index));
    return this.at(index);
  }

  /** Tries again what has failed. */
  retry(first: number, last: number): void {
    this.failure.value = undefined;
    this.want(first, last);
  }

  #request(page: number): Promise<void> {
    const rows = this.#pages.get(page);
    if (rows !== undefined) {
      this.#pages.delete(page);
      this.#pages.set(page, rows);
      return Promise.resolve();
    }
    const pending = this.#requests.get(page);
    if (pending !== undefined && !pending.abort.signal.aborted) return pending.done;
    const abort = new AbortController();
    const done = this.#load(page, abort.signal).finally(() => {
      if (this.#requests.get(page)?.abort === abort) this.#requests.delete(page);
    });
    this.#requests.set(page, { abort, done });
    return done;
  }

  async #load(page: number, signal: AbortSignal): Promise<void> {
    try {
      const { total, rows, facets, brief, warnings = [] } = await this.source.load(page, signal);
      this.#pages.set(page, rows);
      if (this.#pages.size > MAX_PAGES) this.#pages.delete(this.#pages.keys().next().value!);
      this.total.value = total;
      if (page === 1) {
        this.facets.value = facets;
        this.brief.value = brief;
        this.warnings.value = warnings;
      }
      this.failure.value = undefined;
      this.arrivals.value++;
    } catch (error) {
      if (!signal.aborted) this.failure.value = error;
    }
  }
}

/** The number of the page of a place. */
function pageOf(index: number): number {
  return Math.floor(Math.max(0, index) / PAGE_SIZE) + 1;
}
