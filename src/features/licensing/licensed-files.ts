import { type FieldProblem, StaveError, summaryOf } from '../../common/errors.ts';
import { extensionOf } from '../../engines/blobs/content-types.ts';
import type { TrackAudio } from '../catalog/catalog-stores.ts';
import { PART_LISTS } from '../catalog/track-parts.ts';
import { mediaFileName } from '../media/file-name.ts';
import type { DownloadFormat } from '../media/signed-url.ts';
import { isInFormat } from './download.ts';
import type { IssuedLicense } from './issued-license.ts';
import type { LicensedConversion } from './licensed-conversion.ts';
import type { LicensedFile, LicensedFilesDependencies, TaggedFile } from './licensed-file.ts';

const MAX_DETAILS = 50;

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
    // Loaded with the first download, because few services sell licenses.
    const { composeFile } = await import('./compose-file.ts');
    return composeFile(this.#deps, file, key);
  }

  /** Returns the files of a track, or why there are none. */
  async #filesOf(
    license: IssuedLicense,
    trackId: string,
    { format, parts }: { format: DownloadFormat; parts: boolean },
  ): Promise<LicensedFile[] | string> {
    const { catalog, downloads } = this.#deps;
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
      const converted = await this.#conversionOf(format, audioKey, ofTrack);
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

  async #conversionOf(
    format: DownloadFormat,
    audioKey: string,
    audio: TrackAudio | null,
  ): Promise<LicensedConversion | string | undefined> {
    if (isInFormat(extensionOf(audioKey), format)) return undefined;
    const { conversionOf } = await import('./licensed-conversion.ts');
    return conversionOf(this.#deps.media, format, audioKey, audio);
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
