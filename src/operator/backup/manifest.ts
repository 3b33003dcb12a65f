import { open, readFile, rename } from 'node:fs/promises';
import { join, posix } from 'node:path';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { DATABASE_FILE, MEDIA_FOLDER } from '../../app/open/data-folder.ts';
import { OperatorError } from '../../common/errors.ts';

/** The manifest is written last, so its presence marks a backup as finished. */
const MANIFEST_NAME = 'manifest.json';

const Manifest = Type.Object({
  format: Type.Literal('stave-backup'),
  formatVersion: Type.Integer({ minimum: 1 }),
  staveVersion: Type.String(),
  /** ISO 8601, UTC. */
  createdAt: Type.String(),
  counts: Type.Object({
    live: Type.Integer(),
    takenDown: Type.Integer(),
    withdrawn: Type.Integer(),
    unavailable: Type.Integer(),
    filters: Type.Integer(),
    playlists: Type.Integer(),
    clients: Type.Integer(),
    media: Type.Integer(),
  }),
  /** Where the media are if they are not in the backup; otherwise absent. */
  mediaPlace: Type.Optional(Type.String()),
  /** Media that the catalog names and whose file was missing or damaged when the backup was made. */
  lostMedia: Type.Array(Type.String()),
  files: Type.Array(
    Type.Object({
      /** Relative to the backup, with `/`. */
      path: Type.String(),
      sizeBytes: Type.Integer({ minimum: 0 }),
      /** SHA-256 in hexadecimal. */
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
  ),
});

export type Manifest = Static<typeof Manifest>;
export type ManifestFile = Manifest['files'][number];

/** This version writes this format version, and reads no newer one. */
export const FORMAT_VERSION = 1;

/** Writes the manifest completely or not at all. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const unfinished = join(folder, `${MANIFEST_NAME}.unfinished`);
  const file = await open(unfinished, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, join(folder, MANIFEST_NAME));
}

/**
 * Reads the manifest of a finished backup. Throws OperatorError if it is missing, damaged or newer
 * than this version, or names a file that a backup cannot contain.
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST_NAME), 'utf8').catch((error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
      throw new OperatorError(`${folder} is not a finished backup: it has no ${MANIFEST_NAME}`);
    }
    throw error;
  });
  const manifest = parse(text);
  if (!Value.Check(Manifest, manifest) || !areBackupFiles(manifest.files)) {
    throw new OperatorError(`${join(folder, MANIFEST_NAME)} is damaged: take another backup`);
  }
  if (manifest.formatVersion > FORMAT_VERSION) {
    throw new OperatorError(
      `${folder} was made by Stave ${manifest.staveVersion}, whose backups this version cannot read: restore it with that version`,
    );
  }
  return manifest;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A manifest from elsewhere must not make a restore write outside its folder. */
function areBackupFiles(files: readonly ManifestFile[]): boolean {
  const paths = new Set(files.map(({ path }) => path));
  const media = [...paths].filter((path) => path !== DATABASE_FILE);
  return paths.size === files.length && paths.size === media.length + 1 && media.every(isMediaPath);
}

function isMediaPath(path: string): boolean {
  return (
    path.startsWith(`${MEDIA_FOLDER}/`) && /^[\w./-]+$/.test(path) && posix.normalize(path) === path
  );
}
