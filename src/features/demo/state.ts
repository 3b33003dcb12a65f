import { derivedId } from '../../common/ids.ts';
import type { SettingStore } from '../../engines/sql/setting-store.ts';
import type { Store } from '../store.ts';

export const DEMO_SOURCE = 'demo';

export const DEMO_ACTOR = 'system:demo';

/** Returns the id of a demo track by its external id: `music-01`, `sfx-12`. */
export function demoTrackId(externalId: string): string {
  return derivedId(DEMO_SOURCE, externalId);
}

/** The track that the greeting plays and quotes: the first of the catalog. */
export const SAMPLE = {
  name: 'Harbour at First Light',
  slug: 'harbour-at-first-light',
};

/** The names of the settings that hold the state besides the progress. */
const SETTINGS = {
  clientId: 'demo.client',
  contractClientId: 'demo.contract-client',
  /** The keys of all files that the demo may have put into the media store, as JSON. */
  mediaKeys: 'demo.media',
} as const;
const PROGRESS = 'demo';

/**
 * The progress of the demo. After a kill in `loading` or `removing`, the next process continues.
 * `removed` stays, so that no later start loads the demo again.
 */
export type DemoProgress = 'untouched' | 'loading' | 'loaded' | 'removing' | 'removed';

export class DemoState {
  readonly #settings: SettingStore;

  constructor(settings: SettingStore) {
    this.#settings = settings;
  }

  async progress(): Promise<DemoProgress> {
    return ((await this.#settings.get(PROGRESS)) as DemoProgress | undefined) ?? 'untouched';
  }

  async reached(progress: DemoProgress): Promise<void> {
    await this.#settings.set(PROGRESS, progress);
  }

  get(name: keyof typeof SETTINGS): Promise<string | undefined> {
    return this.#settings.get(SETTINGS[name]);
  }

  async set(name: keyof typeof SETTINGS, value: string): Promise<void> {
    await this.#settings.set(SETTINGS[name], value);
  }

  async mediaKeys(): Promise<string[]> {
    return JSON.parse((await this.get('mediaKeys')) ?? '[]');
  }

  async setMediaKeys(keys: readonly string[]): Promise<void> {
    await this.set('mediaKeys', JSON.stringify(keys));
  }

  /** Deletes everything except that the demo was removed. */
  async forget(): Promise<void> {
    await this.reached('removed');
    for (const name of Object.values(SETTINGS)) {
      await this.#settings.delete(name);
    }
  }
}

const LOG_SLICE = 1000;

/** Returns the ids of existing clients that loads made, also of those that a killed load made. */
export async function clientsOfDemo(
  store: Pick<Store, 'changes' | 'settings'>,
): Promise<Set<string>> {
  const ids = new Set<string>();
  const state = new DemoState(store.settings);
  for (const known of [await state.get('clientId'), await state.get('contractClientId')]) {
    if (known !== undefined) ids.add(known);
  }
  let seq = 0;
  for (;;) {
    const changes = await store.changes.since(seq, ['client'], LOG_SLICE);
    for (const { by, kind, entityId } of changes) {
      if (kind === 'deleted') {
        ids.delete(entityId);
      } else if (by === DEMO_ACTOR && kind === 'created') {
        ids.add(entityId);
      }
    }
    if (changes.length < LOG_SLICE) {
      return ids;
    }
    seq = changes.at(-1)!.seq;
  }
}
