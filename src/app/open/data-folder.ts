/** In a data folder and in a backup. */
export const DATABASE_FILE = 'stave.db';

/** Audio and artwork. */
export const MEDIA_FOLDER = 'media';

/** The snapshot of the search index, for a fast start. It may be deleted at any time. */
export const SNAPSHOT_FILE = 'search-index.snapshot';

/** The copy of the documents of a large catalog. It may be deleted at any time. */
export const DOCUMENTS_FILE = 'documents.copy';

/** The vectors of the vocabulary of briefs. It may be deleted at any time. */
export const VECTORS_FILE = 'briefs.vectors';

/** Files that were uploaded in the console, until they are imported. */
export const UPLOADS_FOLDER = 'uploads';
