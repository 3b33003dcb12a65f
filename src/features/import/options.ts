import type { Actor } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import type { TakeCreated } from '../catalog/catalog-stores.ts';
import type { CatalogStore } from '../catalog/store/catalog-store.ts';
import type { TrackMessageStore } from '../catalog/store/track-message-store.ts';
import type { StreamPolicy } from '../catalog/streamed-audio.ts';
import type { TrackType } from '../catalog/track.ts';
import type { TagEncoding } from './audio/tag-encodings.ts';
import type { TagReader } from './audio/tag-reader.ts';
import type { FileFinder } from './files/file-finder.ts';
import type { Rejection } from './item.ts';
import type { MediaNotes } from './media-notes.ts';

export interface ImportSummary {
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** Tracks that the prune or the delivery itself withdrew; absent without either. */
  withdrawn?: number;
  /** Delivered tracks that stay down because the operator took them down; absent without any. */
  stayDown?: number;
}

export interface Reading {
  path: string;
  format: 'NDJSON' | 'JSON' | 'CSV' | 'Excel' | 'audio' | 'DDEX ERN';
  /** Null if the records are in Stave's own form. */
  mapping: string | null;
  source: string;
}

export interface ImportProgress {
  /** Bytes read of the catalog files, compressed if the files are. */
  bytesRead: number;
  /** 0 if the size is unknown, as for folders. */
  bytesTotal: number;
  records: number;
  reading?: Reading | undefined;
}

export interface ImportOptions {
  paths: readonly string[];
  /** The source of the tracks; by default the name of the mapping. */
  source?: string | undefined;
  mapFile?: string | undefined;
  /** The folder that must contain the mapping file; by default any may. */
  mapFolder?: string | undefined;
  /** The type of tracks whose record has none; in folders by default `sfx` for sound effects, otherwise `music`. */
  type?: TrackType | undefined;
  /** Check everything first, and import nothing if anything is rejected. */
  strict?: boolean | undefined;
  dryRun?: boolean | undefined;
  /** Withdraw the tracks of `source` that this full delivery does not list. Requires `source`. */
  prune?: boolean | undefined;
  /** How many tracks a prune may withdraw; by default a fifth of the live tracks of the source. */
  pruneLimit?: number | undefined;
  /** Reject a record if any file that it names is missing; by default only one without any audio. */
  strictFiles?: boolean | undefined;
  /** The encoding of tags that claim to be Latin-1; by default it is recognized. */
  tagEncoding?: TagEncoding | undefined;
  /** How many seconds reading one audio file may take: 30 by default, less for a short file. */
  audioSeconds?: number | undefined;
  catalog: CatalogStore;
  /** The order of the DDEX messages of earlier imports. */
  trackMessages: TrackMessageStore;
  /** What stream URLs send; default: the delivered files. */
  streams?: StreamPolicy | undefined;
  media: MediaStore;
  by: Actor;
  /** Decides which deals of a DDEX message have ended. */
  clock: Clock;
  /** Called for each file before the first one is read. */
  onReading?: (reading: Reading) => void;
  /** `reading` tells how the file was read; undefined if it was refused. */
  onRejection?: (rejection: Rejection, reading?: Reading) => void;
  onNote?: (note: string) => void;
  /** Called with the reason if the prune was refused because it would withdraw too many tracks. */
  onPruneRefused?: (reason: string) => void;
  onProgress?: (progress: ImportProgress) => void;
  /** Called with the id that identifies the import for an undo, if the import changed anything. */
  onBatch?: (id: string) => void;
  onCreated?: TakeCreated | undefined;
}

export interface ReadContext extends Pick<ImportOptions, 'type' | 'clock' | 'onNote'> {
  source: string;
  catalog: Pick<CatalogStore, 'trackAudio'>;
  files: FileFinder;
  trackMessages: Pick<TrackMessageStore, 'sentAt' | 'tracksOf'>;
  tagReader: TagReader;
  notes: MediaNotes;
  /** Whether only the first records of a catalog file are read. */
  isSample?: boolean;
  onRead?: (bytes: number) => void;
}
