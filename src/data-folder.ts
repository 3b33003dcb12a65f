/** The database within a data folder, and within a backup. */
export const DATABASE_FILE = 'stave.db';

/** The folder of audio and artwork beside it. */
export const MEDIA_FOLDER = 'media';

/** What the search index was when last built or merged, for a quick start; may be deleted at any time. */
export const SNAPSHOT_FILE = 'search-index.snapshot';
