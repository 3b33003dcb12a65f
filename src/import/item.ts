import type { Prepared } from './canonical/track.ts';

/** One record on its way through the import. */
export interface Item {
  file: string;
  line: number | null;
  prepared: Prepared;
  /** The folder that the paths in `audio` and `artwork` are relative to. */
  folder: string;
  /** A picture that the audio file contains. */
  picture: Uint8Array | null;
  /**
   * Whether the audio was read already. A duration of 0 then means that the duration is unknown.
   */
  isRead: boolean;
}
