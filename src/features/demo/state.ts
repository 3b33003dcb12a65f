import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
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
  id: demoTrackId('music-01'),
  name: 'Harbour at First Light',
  slug: 'harbour-at-first-light',
};

const STATE = 'demo';
const CLIENT = 'demo.client';
const CONTRACT_CLIENT = 'demo.contract-client';
const MEDIA = 'demo.media';
const FOLDER = 'demo.folder';

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
    return ((await this.#settings.get(STATE)) as DemoProgress | undefined) ?? 'untouched';
  }

  async reached(progress: DemoProgress): Promise<void> {
    await this.#settings.set(STATE, progress);
  }

  /** The id of the demo client, once it is made. */
  async clientId(): Promise<string | undefined> {
    return this.#settings.get(CLIENT);
  }

  async setClientId(id: string): Promise<void> {
    await this.#settings.set(CLIENT, id);
  }

  /** The id of the demo client with contract features, once it is made. Demos of older versions have none. */
  async contractClientId(): Promise<string | undefined> {
    return this.#settings.get(CONTRACT_CLIENT);
  }

  async setContractClientId(id: string): Promise<void> {
    await this.#settings.set(CONTRACT_CLIENT, id);
  }

  /** The keys of all files that the demo may have put into the media store. */
  async mediaKeys(): Promise<string[]> {
    return JSON.parse((await this.#settings.get(MEDIA)) ?? '[]');
  }

  async setMediaKeys(keys: readonly string[]): Promise<void> {
    await this.#settings.set(MEDIA, JSON.stringify(keys));
  }

  /** The temporary folder of a load that has not ended. */
  async folder(): Promise<string | undefined> {
    return this.#settings.get(FOLDER);
  }

  async setFolder(folder: string | null): Promise<void> {
    await (folder === null ? this.#settings.delete(FOLDER) : this.#settings.set(FOLDER, folder));
  }

  /** Deletes everything except that the demo was removed. */
  async forget(): Promise<void> {
    await this.#settings.set(STATE, 'removed');
    for (const name of [CLIENT, CONTRACT_CLIENT, MEDIA, FOLDER]) {
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
  for (const known of [await state.clientId(), await state.contractClientId()]) {
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

const PREFIX = 'stave-demo-';

/** Calls `work` with a temporary folder, and deletes it afterwards, like the folder of a killed load. */
export async function inTemporaryFolder(
  state: DemoState,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  await removeAbandonedFolder(state);
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  try {
    await state.setFolder(folder);
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await state.setFolder(null);
  }
}

export async function removeAbandonedFolder(state: DemoState): Promise<void> {
  const folder = await state.folder();
  if (folder !== undefined && basename(folder).startsWith(PREFIX)) {
    await rm(folder, { recursive: true, force: true });
  }
}
