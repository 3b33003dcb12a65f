import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type FieldProblem, StaveError, summaryOf, unavailable } from '../../common/errors.ts';
import type { AudioTags, Cover } from '../../engines/audio/tags/audio-tags.ts';
import type { DeliveredTexts } from '../../engines/audio/tags/delivered-texts.ts';
import { id3Tag } from '../../engines/audio/tags/id3.ts';
import { planOf, type RandomAccess, readPlan } from '../../engines/audio/tags/splice.ts';
import { storedFile } from '../../engines/audio/tags/stored-file.ts';
import { audioContentType, extensionOf } from '../../engines/blobs/content-types.ts';
import type { ByteRange, MediaStore } from '../../engines/blobs/media-store.ts';
import type { TrackAudio, TrackRecord } from '../catalog/catalog-stores.ts';
import type { CatalogStore } from '../catalog/store/catalog-store.ts';
import { PART_LISTS } from '../catalog/track-parts.ts';
import type { Conversions } from '../media/conversions.ts';
import { readCover } from '../media/cover.ts';
import { mediaFileName } from '../media/file-name.ts';
import type { DownloadFormat } from '../media/signed-url.ts';
import type { RenditionQueue } from '../renditions/rendition-queue.ts';
import { tagsOf } from './download.ts';
import type { IssuedLicense } from './issued-license.ts';
import { conversionOf, type LicensedConversion, missingFile } from './licensed-conversion.ts';
import type { LicenseDownloadStore, LicensedWork } from './store/license-download-store.ts';

/** Changes when equal values are written in another way. */
const RECIPE = 1;
/** Larger pictures are left out. */
const MAX_COVER_BYTES = 4 * 1024 * 1024;
const MAX_DETAILS = 50;

/** A file that a license delivers: a track, or a part of one. */
export interface LicensedFile {
  license: IssuedLicense;
  record: TrackRecord;
  audio: TrackAudio;
  work: LicensedWork;
  /** The id that its URL has. */
  id: string;
  partId: string | null;
  /** The name of the part. */
  part: string | undefined;
  /** The media key of the delivered audio; null for the clip of a test license that is not made yet. */
  key: string | null;
  /** The extension of the file that is sent. */
  extension: string;
  /** How another file is made that is sent instead; undefined if the audio is sent as it is. */
  converted: LicensedConversion | undefined;
}

/** The bytes of a file, which no store has. */
export interface TaggedFile {
  /** Whether it says the license. */
  isTagged: boolean;
  contentType: string;
  etag: string;
  sizeBytes: number;
  /** Throws `unavailable` if the first byte must be made and is not there in time. */
  open(range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
}

export interface LicensedFilesDependencies {
  catalog: Pick<CatalogStore, 'trackRecord' | 'trackAudio' | 'trackParts' | 'partAudio'>;
  downloads: Pick<LicenseDownloadStore, 'work'>;
  media: MediaStore;
  renditions: Pick<RenditionQueue, 'find'>;
  conversions: Conversions;
  publicUrl(): string;
}

/** Finds what licenses deliver, and composes the files (docs/contract/licensing.md#downloads). */
export class LicensedFiles {
  readonly #deps: LicensedFilesDependencies;

  constructor(deps: LicensedFilesDependencies) {
    this.#deps = deps;
  }

  /**
   * The files of some tracks of a license, each followed by its parts. Throws `conflict` with all tracks that cannot be
   * delivered in the format.
   */
  async listed(
    license: IssuedLicense,
    trackIds: readonly string[],
    { format, parts }: { format: DownloadFormat; parts: boolean },
  ): Promise<LicensedFile[]> {
    const files: LicensedFile[] = [];
    const problems: FieldProblem[] = [];
    for (const [i, trackId] of trackIds.entries()) {
      const found = await this.#filesOf(license, trackId, { format, parts });
      if (typeof found === 'string') {
        problems.push({ field: `tracks[${i}]`, message: `tracks[${i}] ${found}` });
      } else {
        files.push(...found);
      }
    }
    if (problems.length === 0) return files;
    const details = problems.slice(0, MAX_DETAILS);
    throw new StaveError('conflict', `The license cannot be delivered so: ${summaryOf(details)}`, {
      details,
    });
  }

  /**
   * The file with the id of a URL. Throws `gone` if the track was taken down from licenses, too, and `not_found` if it is
   * not in the catalog any more.
   */
  async find(license: IssuedLicense, id: string, format: DownloadFormat): Promise<LicensedFile> {
    const isTrack = license.terms.tracks.some(({ trackId }) => trackId === id);
    const trackId = isTrack ? id : (await this.#deps.catalog.partAudio(id))?.trackId;
    const isLicensed = license.terms.tracks.some((track) => track.trackId === trackId);
    const found = isLicensed
      ? await this.#filesOf(license, trackId!, { format, parts: !isTrack })
      : NOT_THERE;
    if (found === TAKEN_DOWN) throw new StaveError('gone', 'The track was taken down.');
    const file = typeof found === 'string' ? undefined : found.find((one) => one.id === id);
    if (file === undefined) {
      throw new StaveError('not_found', 'The licensed file is not in the catalog any more.');
    }
    return file;
  }

  /** Returns the length of a file, null if only making it tells it, and whether the file says the license. Makes nothing. */
  async sizeOf(file: LicensedFile): Promise<{ bytes: number | null; tagged: boolean }> {
    const { key, converted } = file;
    // A clip is an MP3, which has tags, as have all files that are made.
    const unknown = { bytes: null, tagged: true };
    if (key === null) return unknown;
    if (converted !== undefined) {
      const { bytes } = await this.#deps.conversions.look(converted.source, converted.target);
      if (bytes === undefined) return unknown;
    }
    const { sizeBytes, isTagged } = await this.compose(file, key);
    return { bytes: sizeBytes, tagged: isTagged };
  }

  /**
   * Throws `unavailable` if the media store lacks the audio, or if it must be converted and no node can do that now.
   *
   * @param key of the delivered audio of the file
   */
  async compose(file: LicensedFile, key: string): Promise<TaggedFile> {
    const { media, publicUrl } = this.#deps;
    const { license, record, work, part, converted } = file;
    const verifyUrl = `${publicUrl()}/v1/licenses/${license.number}/verify`;
    const cover = await this.#cover(record.artworkKey);
    const ours = tagsOf(license, record, { iswc: work.iswc, verifyUrl, part });
    const named =
      converted === undefined ? ours : { ...ours, ...(await this.#deliveredTexts(key)) };
    const tags = { ...named, cover };
    const etagOf = (source: string) => etagOfFile(source, named, cover && record.artworkKey);
    if (converted !== undefined) return this.#converted(converted, tags, etagOf);
    const stat = await media.stat(key);
    if (stat === undefined) throw missingFile();
    const read = (range?: ByteRange) => media.read(key, range);
    const delivered = storedFile(media, key, stat.sizeBytes);
    return { etag: etagOf(key), ...(await spliced(delivered, key, tags, read)) };
  }

  /** The texts of the delivered file that a file in another format repeats. */
  async #deliveredTexts(key: string): Promise<DeliveredTexts> {
    const { media } = this.#deps;
    const stat = await media.stat(key);
    if (stat === undefined) throw missingFile();
    const { deliveredTexts } = await import('../../engines/audio/tags/delivered-texts.ts');
    return deliveredTexts(storedFile(media, key, stat.sizeBytes), extensionOf(key));
  }

  async #converted(
    { source, target }: LicensedConversion,
    tags: AudioTags,
    etagOf: (source: string) => string,
  ): Promise<TaggedFile> {
    const { conversions } = this.#deps;
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

  /** Returns the files of a track, or why there are none. */
  async #filesOf(
    license: IssuedLicense,
    trackId: string,
    { format, parts }: { format: DownloadFormat; parts: boolean },
  ): Promise<LicensedFile[] | string> {
    const { catalog, downloads, media } = this.#deps;
    const record = await catalog.trackRecord(trackId);
    const audio = await catalog.trackAudio(trackId);
    const work = await downloads.work(trackId);
    if (record === undefined || audio === undefined || work === undefined) return NOT_THERE;
    if (work.isWithheld) return TAKEN_DOWN;
    if (audio.audioKey === null) return 'has no audio';
    const clip = license.mode === 'test' ? await this.#clipOf(audio) : undefined;
    if (clip?.failure !== undefined) return clip.failure;
    const common = { license, record, audio, work };
    const fileOf = async (id: string, audioKey: string, part?: string) => {
      const ofTrack = part === undefined ? audio : null;
      const converted = await conversionOf(media, format, audioKey, ofTrack);
      if (typeof converted === 'string') return converted;
      const failure = clip === undefined && converted && (await this.#failureOf(converted));
      if (failure) return `cannot be converted to ${format}: ${failure}`;
      const extension = converted?.target.format ?? extensionOf(audioKey);
      return {
        ...{ ...common, id, part },
        partId: id === trackId ? null : id,
        key: clip === undefined ? audioKey : clip.key,
        extension: clip === undefined ? extension : 'mp3',
        converted: clip === undefined ? converted : undefined,
      };
    };
    const found = [await fileOf(trackId, audio.audioKey)];
    const { parts: lists } = (parts ? await catalog.trackParts(trackId) : undefined) ?? {};
    for (const list of PART_LISTS) {
      for (const { id, kind, name, audioKey } of lists?.[list] ?? []) {
        found.push(await fileOf(id, audioKey, name ?? kind.replaceAll('_', ' ')));
      }
    }
    return found.find((file) => typeof file === 'string') ?? (found as LicensedFile[]);
  }

  async #failureOf({ source, target }: LicensedConversion): Promise<string | undefined> {
    return (await this.#deps.conversions.look(source, target)).failure;
  }

  /** Returns the clip of a track, whose key is null while it is not made. */
  async #clipOf(audio: TrackAudio): Promise<{ key: string | null; failure?: string }> {
    if (audio.previewKey !== null) return { key: audio.previewKey };
    const outcome = await this.#deps.renditions.find(audio, 'preview');
    if (outcome.state === 'failed') return { key: null, failure: `has no clip: ${outcome.reason}` };
    return { key: outcome.state === 'done' ? outcome.file.mediaKey : null };
  }

  async #cover(artworkKey: string | null): Promise<Cover | undefined> {
    if (artworkKey === null) return undefined;
    const { media } = this.#deps;
    const stat = await media.stat(artworkKey);
    if (stat === undefined || stat.sizeBytes > MAX_COVER_BYTES) return undefined;
    return readCover(media, artworkKey, stat.sizeBytes);
  }
}

const NOT_THERE = 'is not in the catalog any more';
const TAKEN_DOWN = 'was taken down';

/** The name of a file, as it is saved. That of a test license says so. */
export function fileNameOf(
  { license, audio, part, extension }: LicensedFile,
  copy: number,
): string {
  if (license.mode === 'live') return mediaFileName(audio, extension, part, copy);
  const { artist, name, slug } = audio;
  const named = [artist, name || slug].filter(Boolean).join(' - ');
  return mediaFileName({ artist: 'TEST', name: named, slug }, extension, part, copy);
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
  // Loaded with the first download, because few services sell licenses.
  const { planTags } = await import('../../engines/audio/tags/plan-tags.ts');
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
