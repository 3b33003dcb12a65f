import { dirname } from 'node:path';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import type { TrackType } from '../../catalog/track.ts';
import { type Prepared, trackMaker } from '../canonical/track.ts';
import { findFile } from '../files/found-file.ts';
import type { Item } from '../item.ts';
import { placesOf } from './files.ts';
import type { RecordingRecord } from './records.ts';

/** The file of a cover: its place, relative to the folder of its message. */
export interface Cover {
  folder: string;
  place: string;
}

/** Makes items of the recordings of messages. */
export class MessageItems {
  readonly #media: Pick<MediaStore, 'stat'>;
  readonly #toTrack: (value: unknown) => Prepared;

  constructor({
    source,
    type = 'music',
    media,
  }: {
    source: string;
    type?: TrackType | undefined;
    media: Pick<MediaStore, 'stat'>;
  }) {
    this.#media = media;
    this.#toTrack = trackMaker({ source, type });
  }

  /** Makes an item of a recording. `path` is that of the message with its audio. */
  async of(
    path: string,
    {
      recording,
      id,
      cover,
    }: { recording: RecordingRecord; id: string | undefined; cover: Cover | undefined },
  ): Promise<Item> {
    const folder = dirname(path);
    const audio = await this.#placeOf(folder, recording.files[0]);
    const prepared = this.#prepare(recording, { audio, artwork: cover?.place }, id);
    const made = { prepared, folder, picture: null, isRead: false };
    return { file: path, line: recording.line, ...made, artworkFolder: cover?.folder };
  }

  /** Returns the cover of a message; undefined if it has none. */
  async coverOf(path: string, cover: string | undefined): Promise<Cover | undefined> {
    const folder = dirname(path);
    const place = await this.#placeOf(folder, cover);
    return place === undefined ? undefined : { folder, place };
  }

  /** Returns the first place where a file is; without one, where the message says it is. */
  async #placeOf(folder: string, path: string | undefined): Promise<string | undefined> {
    if (path === undefined) {
      return undefined;
    }
    for (const place of placesOf(path)) {
      if (!('problem' in (await findFile(folder, place, this.#media)))) {
        return place;
      }
    }
    return path;
  }

  #prepare(
    { record, problems }: RecordingRecord,
    files: { audio: string | undefined; artwork: string | undefined },
    id: string | undefined,
  ): Prepared {
    const prepared = record === undefined ? undefined : this.#toTrack({ ...record, ...files });
    if (problems.length === 0 && prepared !== undefined) {
      return prepared;
    }
    const fields = new Set(problems.map(({ field }) => field));
    const others = prepared?.problems?.filter(({ field }) => !fields.has(field)) ?? [];
    return { delivery: null, id: id ?? null, problems: [...problems, ...others] };
  }
}
