import type { ClientStore, KeyStore } from '../access/store.ts';
import type { CatalogStore, PlaylistStore } from '../catalog/store.ts';
import type { ChangeLog } from '../changes/change-log.ts';
import type { LeaseStore } from '../kernel/lease.ts';
import type { LicenceStore } from '../licensing/licence.ts';
import type { TableStore } from './tables.ts';

/** The setting that tells one catalog from every other; made when it is first needed. */
export const CATALOG_ID = 'catalog_id';

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
  /** Which node does what only one may do. */
  leases: LeaseStore;
  /** All of it, table by table, for moving it elsewhere. */
  tables: TableStore;
  /**
   * Whether the store answered when last asked. While it does not, every call is refused at once with
   * `unavailable`; it comes back by itself.
   */
  isReachable(): boolean;
  /** Calls and connections under way, for the metrics; absent where there is no pool of them. */
  load?(): { open: number; waiting: number };
  /**
   * Writes a consistent copy of the database to a new file while everything goes on. The file
   * appears whole or not at all; one that exists is refused. Throws OperatorError where the store is a
   * server, which has tools of its own for that.
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
