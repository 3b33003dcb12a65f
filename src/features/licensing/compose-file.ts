import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { unavailable } from '../../common/errors.ts';
import type { AudioTags, Cover } from '../../engines/audio/tags/audio-tags.ts';
import { deliveredTexts } from '../../engines/audio/tags/delivered-texts.ts';
import { id3Tag } from '../../engines/audio/tags/id3.ts';
import { planTags } from '../../engines/audio/tags/plan-tags.ts';
import { planOf, type RandomAccess, readPlan } from '../../engines/audio/tags/splice.ts';
import { storedFile } from '../../engines/audio/tags/stored-file.ts';
import { audioContentType, extensionOf } from '../../engines/blobs/content-types.ts';
import type { ByteRange, MediaStore } from '../../engines/blobs/media-store.ts';
import { readCover } from '../media/cover.ts';
import { tagsOf } from './download.ts';
import { type LicensedConversion, missingFile } from './licensed-conversion.ts';
import type { LicensedFile, LicensedFilesDependencies, TaggedFile } from './licensed-file.ts';

type Dependencies = Pick<LicensedFilesDependencies, 'media' | 'conversions' | 'publicUrl'>;

/** Changes when equal values are written in another way. */
const RECIPE = 1;
/** Larger pictures are left out. */
const MAX_COVER_BYTES = 4 * 1024 * 1024;

/** As `LicensedFiles.compose`. */
export async function composeFile(
  { media, conversions, publicUrl }: Dependencies,
  { license, record, work, part, converted }: LicensedFile,
  key: string,
): Promise<TaggedFile> {
  const stat = await media.stat(key);
  if (stat === undefined) throw missingFile();
  const delivered = storedFile(media, key, stat.sizeBytes);
  const verifyUrl = `${publicUrl()}/v1/licenses/${license.number}/verify`;
  const named = {
    ...tagsOf(license, record, { iswc: work.iswc, verifyUrl, part }),
    ...(converted !== undefined && (await deliveredTexts(delivered, extensionOf(key)))),
  };
  const cover = await coverOf(media, record.artworkKey);
  const tags = { ...named, cover };
  const etagOf = (source: string) => etagOfFile(source, named, cover && record.artworkKey);
  if (converted !== undefined) return convertedFile(conversions, converted, tags, etagOf);
  const read = (range?: ByteRange) => media.read(key, range);
  return { etag: etagOf(key), ...(await spliced(delivered, key, tags, read)) };
}

async function convertedFile(
  conversions: Dependencies['conversions'],
  { source, target }: LicensedConversion,
  tags: AudioTags,
  etagOf: (source: string) => string,
): Promise<TaggedFile> {
  const prefix = target.format === 'mp3' ? id3Tag(tags) : undefined;
  const made = await conversions.open(source, target, prefix);
  if (made === undefined) throw unavailable('No node of this service can make the file now.', 60);
  const sizeBytes = await made.sizeBytes();
  if (target.format === 'mp3') {
    return { ...made, isTagged: true, contentType: 'audio/mpeg', sizeBytes };
  }
  const read = (range?: ByteRange) => made.open(range);
  const stored = storedFile({ read: (_, range) => read(range) }, '', sizeBytes);
  const { head } = made;
  const file: RandomAccess = {
    sizeBytes,
    // The tags of a WAV file are planned before its samples are made.
    read: async (offset, length) =>
      offset + length <= head.length
        ? head.subarray(offset, offset + length)
        : stored.read(offset, length),
  };
  const name = `converted.${target.format}`;
  return { etag: etagOf(made.etag), ...(await spliced(file, name, tags, read)) };
}

async function coverOf(media: MediaStore, artworkKey: string | null): Promise<Cover | undefined> {
  if (artworkKey === null) return undefined;
  const stat = await media.stat(artworkKey);
  if (stat === undefined || stat.sizeBytes > MAX_COVER_BYTES) return undefined;
  return readCover(media, artworkKey, stat.sizeBytes);
}

/**
 * Plans a file with tags.
 *
 * @param name has the extension of the file
 * @param read reads the file without them
 */
async function spliced(
  file: RandomAccess,
  name: string,
  tags: AudioTags,
  read: (range?: ByteRange) => Promise<Readable>,
): Promise<Omit<TaggedFile, 'etag'>> {
  const tagged = await planTags(file, extensionOf(name), tags);
  const plan = tagged ?? planOf([{ start: 0, end: file.sizeBytes }]);
  return {
    isTagged: tagged !== undefined,
    contentType: audioContentType(name) ?? 'application/octet-stream',
    sizeBytes: plan.sizeBytes,
    open: async (range) => readPlan(plan, read, range),
  };
}

/**
 * The tag is strong: these values determine all bytes.
 *
 * @param source what determines the file without tags
 */
function etagOfFile(
  source: string,
  tags: AudioTags,
  artworkKey: string | null | undefined,
): string {
  const values = JSON.stringify([RECIPE, source, tags, artworkKey ?? null]);
  return `"${createHash('sha256').update(values).digest('hex')}"`;
}
