import type { IndexSource } from '../../../engines/search/catalog-index.ts';
import type { CatalogStore } from '../catalog-stores.ts';
import type { LiveLanguages } from './live-languages.ts';

/** What a LiveCatalog works with. */
export interface LiveCatalogOptions {
  store: Pick<CatalogStore, 'indexEntries' | 'documents' | 'filters'>;
  source: IndexSource;
  /** The greatest size of the document cache. Default: 64 MB. */
  documentCacheBytes?: number;
  /** The translations. Default: none, and originals in English. */
  languages?: LiveLanguages;
}
