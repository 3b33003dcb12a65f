import type { Prepared } from './canonical/track.ts';

/** One record on its way through the import. */
export interface Item {
  file: string;
  line: number | null;
  prepared: Prepared;
  /** The folder that `audio` and `artwork` are relative to. */
  folder: string;
  /** A picture that the audio file carried. */
  picture: Uint8Array | null;
  /** Whether the audio was read already, so that a length of 0 is all that can be known. */
  isRead: boolean;
}
