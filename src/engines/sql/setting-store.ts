/** The name of the catalog id in the store metadata. It is created when it is first needed. */
export const CATALOG_ID = 'catalog_id';

/** Names and values. A write replaces the whole value. None of it is in the change log. */
export interface SettingStore {
  get(name: string): Promise<string | undefined>;
  /** Sets a value if there is none. Returns the stored value, which another process may have set. */
  add(name: string, value: string): Promise<string>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}
