import type { CountedFilter, Track } from '#client';
import { element } from './dom.ts';
import { Row } from './row.ts';
import { Session } from './session.ts';
import { Sound } from './sound.ts';
import { STYLES } from './styles.ts';
import { languageFor, type Texts, textsIn } from './texts.ts';

const PAGE_SIZE = 20;
/** The pause in typing after which a search begins. */
const TYPING_MS = 300;
const FILTER_TYPES = ['genre', 'mood', 'use-case'] as const;

/** What a `stave-error` carries. `track` is null if it concerns no track. */
export interface PickerFailure {
  message: string;
  /** The kind of error of the API, such as `forbidden`; null for others. */
  type: string | null;
  track: Track | null;
}

/**
 * `<stave-picker api token-endpoint language theme>`: searches the catalog, plays tracks, and tells the page which one was
 * chosen (docs/picker.md).
 */
export class StavePicker extends HTMLElement {
  static readonly observedAttributes = ['api', 'token-endpoint', 'language'];

  readonly #root = this.attachShadow({ mode: 'open' });
  readonly #sound = new Sound();
  #texts: Texts = textsIn('en');
  #session!: Session;
  #scopes: ReadonlySet<string> = new Set();
  #rows: Row[] = [];
  #page = 0;
  #isStarting = false;
  /** Ends what belongs to the present configuration, or to the present search. */
  #stay = new AbortController();
  #searching = new AbortController();

  readonly #search = element('input', { type: 'search', autocomplete: 'off', maxLength: 1_000 });
  readonly #brief = element('input', { type: 'checkbox' });
  readonly #briefLabel = element('label', { class: 'tick' });
  readonly #filters = new Map(FILTER_TYPES.map((type) => [type, element('select')]));
  readonly #form = element('form', { part: 'search', role: 'search' });
  readonly #count = element('span', { role: 'status' });
  readonly #again = element('button', { type: 'button', hidden: true });
  readonly #list = element('ul');
  readonly #more = element('button', { type: 'button', class: 'more', hidden: true });
  readonly #seen = new IntersectionObserver((entries) => this.#show(entries));
  readonly #resized = new ResizeObserver(() => {
    for (const row of this.#rows) row.draw();
  });

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    this.#root.adoptedStyleSheets = [sheet];
    this.#form.append(this.#search, ...this.#filters.values(), this.#briefLabel);
    const status = element('div', { class: 'status' }, this.#count, this.#again);
    this.#root.append(this.#form, status, this.#list, this.#more);
    this.#listen();
  }

  connectedCallback(): void {
    this.#resized.observe(this);
    this.#start();
  }

  disconnectedCallback(): void {
    this.#resized.disconnect();
    this.#stay.abort();
    this.#searching.abort();
    this.#sound.stop();
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#start();
  }

  #listen(): void {
    let typing: ReturnType<typeof setTimeout> | undefined;
    const find = () => {
      clearTimeout(typing);
      void this.#find();
    };
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      find();
    });
    this.#search.addEventListener('input', () => {
      clearTimeout(typing);
      // A brief is sent as a whole.
      if (!this.#brief.checked) typing = setTimeout(find, TYPING_MS);
    });
    this.#brief.addEventListener('change', () => {
      this.#label();
      if (this.#search.value !== '') find();
    });
    for (const select of this.#filters.values()) select.addEventListener('change', find);
    this.#more.addEventListener('click', () => void this.#load(this.#page + 1));
    this.#again.addEventListener('click', () => this.#start());
    this.#list.addEventListener('keydown', (event) => this.#move(event));
    this.#sound.addEventListener('change', () => {
      for (const row of this.#rows) row.update();
    });
  }

  /** Begins anew, once for all attributes that change together. */
  #start(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    queueMicrotask(() => {
      this.#isStarting = false;
      if (this.isConnected) void this.#configure();
    });
  }

  async #configure(): Promise<void> {
    this.#stay.abort();
    this.#stay = new AbortController();
    const { signal } = this.#stay;
    this.#sound.stop();
    const asked = this.getAttribute('language') ?? (document.documentElement.lang || 'en');
    const language = languageFor(asked);
    this.#texts = textsIn(language);
    this.#form.lang = language;
    this.#label();
    try {
      this.#session = new Session({
        api: this.getAttribute('api') ?? new URL('.', import.meta.url).href,
        tokenEndpoint: new URL(this.getAttribute('token-endpoint') ?? '', document.baseURI).href,
        language: asked,
      });
      this.#scopes = await this.#session.scopes();
      if (signal.aborted) return;
      this.#briefLabel.hidden = !this.#scopes.has('search');
      if (this.#scopes.has('filters')) await this.#listFilters(signal);
      if (!signal.aborted) await this.#find();
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  #label(): void {
    const texts = this.#texts;
    const words = this.#brief.checked ? texts.describe : texts.search;
    this.#search.placeholder = words;
    this.#search.setAttribute('aria-label', words);
    this.#form.setAttribute('aria-label', texts.search);
    this.#briefLabel.replaceChildren(this.#brief, texts.brief);
    this.#list.setAttribute('aria-label', texts.tracks);
    this.#more.textContent = texts.more;
    this.#again.textContent = texts.again;
    for (const [type, select] of this.#filters) {
      select.setAttribute('aria-label', texts[type]);
      if (select.options.length === 0) select.hidden = true;
    }
  }

  async #listFilters(signal: AbortSignal): Promise<void> {
    const { items } = await this.#session.stave.listFilters({}, { signal });
    for (const [type, select] of this.#filters) {
      const ofType = items.filter((filter) => filter.type === type && filter.trackCount > 0);
      const chosen = select.value;
      select.replaceChildren(
        new Option(this.#texts[type], ''),
        ...ofType.map(({ name, slug }: CountedFilter) => new Option(name, slug)),
      );
      select.value = chosen;
      if (select.selectedIndex < 0) select.selectedIndex = 0;
      select.hidden = ofType.length === 0;
    }
  }

  /** Shows the first page of a search. */
  async #find(): Promise<void> {
    this.#searching.abort();
    this.#searching = new AbortController();
    await this.#load(1);
  }

  async #load(page: number): Promise<void> {
    const { signal } = this.#searching;
    this.#count.textContent = this.#texts.loading;
    this.#again.hidden = true;
    this.#more.disabled = true;
    try {
      const { items, totalRecords, totalPages } = await this.#request(page, signal);
      if (signal.aborted) return;
      this.#page = page;
      this.#put(items, page === 1);
      const texts = this.#texts;
      this.#count.textContent =
        totalRecords === 0 ? texts.none : `${texts.results}: ${totalRecords.toLocaleString()}`;
      this.#more.hidden = page >= totalPages;
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    } finally {
      this.#more.disabled = false;
    }
  }

  async #request(page: number, signal: AbortSignal) {
    const text = this.#search.value.trim();
    const filterSlugs = [...this.#filters.values()].map(({ value }) => value).filter(Boolean);
    const query = { page, pageSize: PAGE_SIZE, ...(filterSlugs.length > 0 && { filterSlugs }) };
    const { stave } = this.#session;
    if (!this.#scopes.has('search')) {
      return stave.listTracks(
        { ...query, ...(text && { search: text.slice(0, 200) }) },
        { signal },
      );
    }
    const asked = this.#brief.checked
      ? { brief: text }
      : { query: text.slice(0, 200), in: ['name', 'artists', 'tags'] as ('name' | 'tags')[] };
    return stave.searchTracks({ ...query, ...(text && asked) }, { signal });
  }

  #put(tracks: readonly Track[], isFirst: boolean): void {
    if (isFirst) {
      this.#rows = [];
      this.#seen.disconnect();
      this.#list.replaceChildren();
    }
    const context = {
      texts: this.#texts,
      session: this.#session,
      sound: this.#sound,
      signal: this.#searching.signal,
      onSelect: (track: Track) => void this.#select(track),
      onPlay: (track: Track) => void this.#play(track),
    };
    const rows = tracks.map((track) => new Row(track, context));
    const first = this.#rows.length === 0 ? 0 : undefined;
    this.#rows.push(...rows);
    this.#list.append(...rows.map(({ node }) => node));
    for (const [i, { node, controls }] of rows.entries()) {
      this.#seen.observe(node);
      for (const control of controls) control.tabIndex = i === first ? 0 : -1;
    }
  }

  /** Moves between rows with the arrow keys; Tab reaches one row, and leaves the list. */
  #move(event: KeyboardEvent): void {
    const at = this.#rows.findIndex(({ node }) => node.contains(event.target as Node));
    const control = this.#rows[at]?.controls.indexOf(event.target as HTMLButtonElement) ?? -1;
    const last = this.#rows.length - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    const next = to === undefined || control < 0 ? undefined : this.#rows[to];
    if (next === undefined) return;
    event.preventDefault();
    for (const button of this.#rows[at]!.controls) button.tabIndex = -1;
    for (const button of next.controls) button.tabIndex = 0;
    const { controls } = next;
    (controls[control]!.disabled ? controls.at(-1)! : controls[control]!).focus();
  }

  #show(entries: readonly IntersectionObserverEntry[]): void {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      this.#seen.unobserve(target);
      void this.#rows.find(({ node }) => node === target)?.show();
    }
  }

  async #select(track: Track): Promise<void> {
    // What the page gets can be played for a while.
    const fresh = await this.#session.fresh(track).catch(() => track);
    this.#tell('stave-select', fresh);
  }

  async #play(track: Track): Promise<void> {
    if (this.#sound.current?.id === track.id) {
      this.#sound.toggle();
      return;
    }
    const fail = (error: unknown) => {
      // A `play()` that another one has replaced is no failure.
      if (error instanceof DOMException && error.name === 'AbortError') return;
      if (this.#sound.current?.id !== track.id) return;
      this.#sound.stop();
      this.#fail(error, track);
    };
    this.#tell('stave-preview', track);
    await this.#sound.start(track, this.#session, fail).catch(fail);
  }

  #fail(error: unknown, track: Track | null = null): void {
    this.#count.textContent = track === null ? this.#texts.failed : this.#texts.unplayable;
    this.#again.hidden = track !== null;
    const { message, type } = error as { message?: string; type?: string };
    const detail: PickerFailure = {
      message: message ?? this.#texts.unplayable,
      type: error instanceof Error ? (type ?? null) : null,
      track,
    };
    this.#tell('stave-error', detail);
  }

  #tell(type: string, detail: Track | PickerFailure): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
