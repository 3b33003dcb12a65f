/** The database within a data folder, and within a backup. */
export const DATABASE_FILE = 'stave.db';

/** The folder of audio and artwork beside it. */
export const MEDIA_FOLDER = 'media';
