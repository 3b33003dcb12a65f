import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { isMediaKey } from '../../engines/blobs/media-store.ts';

const StoredFile = Type.Object({
  /** The hash of the content and an extension, as of all files of a repository. */
  key: Type.String({ pattern: '^[0-9a-f]{64}\\.[a-z0-9]{1,8}$' }),
  sizeBytes: Type.Integer({ minimum: 0 }),
});

export type StoredFile = Static<typeof StoredFile>;

const Manifest = Type.Object({
  format: Type.Literal('stave-backup'),
  formatVersion: Type.Integer({ minimum: 1 }),
  staveVersion: Type.String(),
  /** A repository has the backups of one catalog. */
  catalogId: Type.String(),
  /** ISO 8601, UTC. This names the backup. */
  createdAt: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
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
  database: StoredFile,
  /** The file that lists the media of the backup. Backups with the same media share it. */
  mediaList: StoredFile,
  mediaBytes: Type.Integer({ minimum: 0 }),
});

export type Manifest = Static<typeof Manifest>;

export function tracksOf({ counts }: Manifest): number {
  return counts.live + counts.takenDown + counts.withdrawn + counts.unavailable;
}

export function sizeOf({ database, mediaBytes }: Manifest): number {
  return database.sizeBytes + mediaBytes;
}

/** This version writes this format version, and reads no newer one. */
export const FORMAT_VERSION = 1;

/** Returns a manifest, or what is wrong with it. */
export function parseManifest(bytes: Uint8Array): Manifest | string {
  let manifest: unknown;
  try {
    manifest = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return 'it is damaged';
  }
  const { formatVersion } = (manifest ?? {}) as { formatVersion?: unknown };
  if (typeof formatVersion === 'number' && formatVersion > FORMAT_VERSION) {
    return 'a newer version of Stave has made it: use that version';
  }
  return Value.Check(Manifest, manifest) ? manifest : 'it is damaged';
}

/** Writes one line for each file. The same files give the same text. */
export function writeMediaList(files: readonly StoredFile[]): Buffer {
  const lines = files.map(({ key, sizeBytes }) => `${key} ${sizeBytes}\n`);
  return Buffer.from(lines.sort().join(''));
}

/** Returns undefined for a text that no backup contains, so that a restore writes nothing outside its folder. */
export function parseMediaList(bytes: Uint8Array): StoredFile[] | undefined {
  const lines = Buffer.from(bytes).toString().split('\n').slice(0, -1);
  const files = lines.map((line) => {
    const [key = '', size = ''] = line.split(' ');
    return { key, sizeBytes: Number(size) };
  });
  const isSound = ({ key, sizeBytes }: StoredFile) =>
    isMediaKey(key) && Number.isSafeInteger(sizeBytes) && sizeBytes >= 0;
  return files.every(isSound) ? files : undefined;
}
