/** The file name of the database in a data folder and in a backup. */
export const DATABASE_FILE = 'stave.db';

/** The folder of audio and artwork in a data folder. */
export const MEDIA_FOLDER = 'media';

/** The snapshot of the search index in a data folder, for a fast start. It may be deleted at any time. */
export const SNAPSHOT_FILE = 'search-index.snapshot';

/** The copy of the documents of a large catalog in a data folder. It may be deleted at any time. */
export const DOCUMENTS_FILE = 'documents.copy';

/** The folder of files that were uploaded in the console, while they are imported. */
export const UPLOADS_FOLDER = 'uploads';
