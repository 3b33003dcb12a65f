import type { ByteRange, MediaStore } from '../../engines/blobs/media-store.ts';
import type { TrackAudio, TrackRecord } from '../catalog/catalog-stores.ts';
import type { CatalogStore } from '../catalog/store/catalog-store.ts';
import type { Conversions } from '../media/conversions.ts';
import type { RenditionQueue } from '../renditions/rendition-queue.ts';
import type { IssuedLicense } from './issued-license.ts';
import type { LicensedConversion } from './licensed-conversion.ts';
import type { LicenseDownloadStore, LicensedWork } from './store/license-download-store.ts';

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
