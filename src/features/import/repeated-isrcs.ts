import type { CatalogStore } from '../catalog/store/catalog-store.ts';
import type { TrackDelivery } from '../catalog/track.ts';

/** The ISRCs of an import that are remembered: 30 MB. */
const MAX_KNOWN = 250_000;
const MAX_NAMED = 20;

/** Finds the ISRCs of delivered tracks that other tracks have, too: an ISRC names one recording. */
export class RepeatedIsrcs {
  readonly #catalog: Pick<CatalogStore, 'tracksWithIsrcs'>;
  /** The ids of the first tracks of this import, by ISRC. */
  readonly #first = new Map<string, string>();
  /** Where the other track of an ISRC is, for the first MAX_KNOWN. */
  readonly #others = new Map<string, string>();

  constructor(catalog: Pick<CatalogStore, 'tracksWithIsrcs'>) {
    this.#catalog = catalog;
  }

  /** @param deliveries those that created or changed a track */
  async add(deliveries: readonly TrackDelivery[]): Promise<void> {
    const ids = new Map<string, string>();
    for (const { id, isrc } of deliveries) {
      // What is noted already needs no further look-up: an ISRC may be that of all tracks.
      if (isrc === '' || this.#others.has(isrc)) continue;
      const first = this.#first.get(isrc);
      if (first !== undefined && first !== id) this.#note(isrc, 'twice in this import');
      if (this.#first.size < MAX_KNOWN) this.#first.set(isrc, first ?? id);
      ids.set(isrc, id);
    }
    if (ids.size === 0) return;
    for (const { isrc, id, source } of await this.#catalog.tracksWithIsrcs([...ids.keys()])) {
      if (id !== ids.get(isrc) && id !== this.#first.get(isrc)) this.#note(isrc, `of ${source}`);
    }
  }

  /** Undefined if there are none. */
  text(): string | undefined {
    const { size } = this.#others;
    if (size === 0) return undefined;
    const named = [...this.#others]
      .slice(0, MAX_NAMED)
      .map(([isrc, where]) => `${isrc} (${where})`);
    const more = size > MAX_NAMED ? ` and ${size - MAX_NAMED} more` : '';
    const subject = size === 1 ? '1 ISRC is' : `${size} ISRCs are`;
    return `${subject} also that of another track: ${named.join(', ')}${more} (\`stave tracks find ISRC\` shows them)`;
  }

  #note(isrc: string, where: string): void {
    if (!this.#others.has(isrc) && this.#others.size < MAX_KNOWN) this.#others.set(isrc, where);
  }
}
