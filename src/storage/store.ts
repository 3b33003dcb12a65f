import type { ClientStore, KeyStore } from '../access/store.ts';
import type { CatalogStore, PlaylistStore } from '../catalog/store.ts';
import type { ChangeLog } from '../changes/change-log.ts';
import type { LicenceStore } from '../licensing/licence.ts';

/** The whole system of record, as each adapter opens it. */
export interface Store {
  catalog: CatalogStore;
  playlists: PlaylistStore;
  clients: ClientStore;
  keys: KeyStore;
  licences: LicenceStore;
  changes: ChangeLog;
  /** Small facts about the installation itself, such as the demo's state. */
  settings: SettingStore;
  /**
   * Writes a consistent copy of the database to a new file while everything goes on. The file
   * appears whole or not at all; one that exists is refused.
   */
  backup(path: string): Promise<void>;
  /**
   * Throws when the store cannot answer; deep, also when it is damaged. Deep reads all of it and
   * blocks meanwhile (about a second a gigabyte), so it is for `doctor`; the other is for health.
   */
  check(deep: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Names and values, each set whole; nothing of it is in the change log. */
export interface SettingStore {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}
