import type { TrackMessage } from '../catalog/track-messages.ts';
import type { Prepared } from './canonical/track.ts';
import type { Rejection } from './rejection.ts';

/** One record on its way through the import. */
export interface Item {
  file: string;
  line: number | null;
  prepared: Prepared;
  /** The folder that the paths in `audio` and `artwork` are relative to. */
  folder: string;
  /** The folder that `artwork` is relative to, if that is another one. */
  artworkFolder?: string | undefined;
  /** A picture that the audio file contains. */
  picture: Uint8Array | null;
  /**
   * Whether the audio was read already. A duration of 0 then means that the duration is unknown.
   */
  isRead: boolean;
}

/** What goes through the phases of an import together. */
export interface Batch {
  items: readonly Item[];
  /** The ids of tracks that the delivery takes back. They need not exist. */
  withdrawals: readonly string[];
  /** The message that decides about each of the tracks of the batch. */
  messages: readonly TrackMessage[];
  /** The ids of tracks that the delivery lists and does not decide about. */
  passedOver: readonly string[];
  /** What cannot be read, apart from single records. */
  rejections: readonly Rejection[];
}

/** A batch without anything. */
export const NOTHING: Batch = {
  items: [],
  withdrawals: [],
  messages: [],
  passedOver: [],
  rejections: [],
};
