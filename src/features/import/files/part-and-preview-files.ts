import { hash } from 'node:crypto';
import { type FieldProblem, StaveError } from '../../../common/errors.ts';
import { AUDIO_EXTENSIONS } from '../../../engines/blobs/content-types.ts';
import type { MediaStore, StoredMedia } from '../../../engines/blobs/media-store.ts';
import type { CatalogStore, TrackRecord } from '../../catalog/catalog-stores.ts';
import type { TrackDelivery } from '../../catalog/track.ts';
import {
  type DeliveredPart,
  MAX_PARTS,
  NO_PARTS,
  PART_LISTS,
  type PartList,
  type PartsByList,
} from '../../catalog/track-parts.ts';
import { AudioProblem, type TagReader } from '../audio/tag-reader.ts';
import { type NamedPart, tooManyParts } from '../canonical/lists.ts';
import { roundedDuration } from '../canonical/values.ts';
import type { Item } from '../item.ts';
import { extensionOfFound, type Found, findFile, storedForm, withPath } from './found-file.ts';

/** A part whose audio was checked, and not stored yet. */
type CheckedPart = Omit<DeliveredPart, 'audioKey' | 'sizeBytes'> & { found: Found };

/** The parts that an item names, after the check of their audio. */
export interface CheckedParts {
  problems: readonly FieldProblem[];
  /** Stores the audio, and sets the parts of the delivery. Call it only if the record has no problem. */
  store(delivery: TrackDelivery): Promise<void>;
}

/** Checks and stores the audio of the stems and versions that records name. */
export class PartFiles {
  readonly #catalog: Pick<CatalogStore, 'trackParts'>;
  readonly #media: MediaStore;
  readonly #tagReader: TagReader;
  readonly #storedFile: (path: string, extension: string) => Promise<StoredMedia>;

  /** `storedFile` stores a file, and returns what it has stored. */
  constructor(deps: {
    catalog: Pick<CatalogStore, 'trackParts'>;
    media: MediaStore;
    tagReader: TagReader;
    storedFile: (path: string, extension: string) => Promise<StoredMedia>;
  }) {
    this.#catalog = deps.catalog;
    this.#media = deps.media;
    this.#tagReader = deps.tagReader;
    this.#storedFile = deps.storedFile;
  }

  /** Checks the parts of an item, all of them, so that their problems are reported together. */
  async check({ prepared, folder }: Item): Promise<CheckedParts> {
    if (prepared.delivery === null || !namesParts(prepared)) {
      return { problems: [], store: async () => {} };
    }
    const { id } = prepared.delivery;
    const stored = (await this.#catalog.trackParts(id))?.parts ?? NO_PARTS;
    const count = PART_LISTS.reduce(
      (sum, list) => sum + (prepared[list] ?? stored[list]).length,
      0,
    );
    if (count > MAX_PARTS) {
      const field = prepared.stems === null ? 'versions' : 'stems';
      return {
        problems: [{ field, message: tooManyParts(count) }],
        store: async () => {},
      };
    }
    const problems: FieldProblem[] = [];
    const lists: [PartList, CheckedPart[]][] = [];
    for (const list of PART_LISTS) {
      const parts = prepared[list];
      if (parts === null) continue;
      const checked: CheckedPart[] = [];
      for (const [i, part] of parts.entries()) {
        const result = await this.#check(part, folder, stored);
        if (typeof result === 'string') {
          problems.push({ field: `${list}[${i}].audio`, message: result });
        } else {
          checked.push(result);
        }
      }
      lists.push([list, checked]);
    }
    return { problems, store: (delivery) => this.#store(delivery, lists) };
  }

  /** Returns the part with its file, or what is wrong with its audio. */
  async #check(
    { kind, name, durationSeconds, audio }: NamedPart,
    folder: string,
    stored: PartsByList<DeliveredPart>,
  ): Promise<CheckedPart | string> {
    const found = await findFile(folder, audio, this.#media);
    if ('problem' in found) {
      return found.problem;
    }
    if (!AUDIO_EXTENSIONS.includes(extensionOfFound(found))) {
      return `must be an audio file (${AUDIO_EXTENSIONS.join(', ')})`;
    }
    try {
      const isKnown = durationSeconds > 0 && isStored(found, stored);
      const seconds = isKnown ? 0 : await this.#lengthOf(found);
      return { kind, name, durationSeconds: durationSeconds || seconds, found };
    } catch (error) {
      if (error instanceof AudioProblem) {
        return error.message;
      }
      throw error;
    }
  }

  /** Returns the length of the audio in whole seconds; 0 if it is unknown. Throws AudioProblem if it is no audio. */
  async #lengthOf(found: Found): Promise<number> {
    const path = 'key' in found ? this.#media.localPath?.(found.key) : undefined;
    const { durationSeconds } = await withPath(
      path === undefined ? found : { path, sizeBytes: found.sizeBytes },
      this.#media,
      (readable) => this.#tagReader.read(readable),
    ).catch((error: unknown) => {
      const isLost = error instanceof StaveError && error.kind === 'not_found';
      throw isLost ? new AudioProblem('names a file that the media store has lost') : error;
    });
    return roundedDuration(durationSeconds);
  }

  async #store(
    delivery: TrackDelivery,
    lists: readonly (readonly [PartList, readonly CheckedPart[]])[],
  ): Promise<void> {
    for (const [list, parts] of lists) {
      const delivered: DeliveredPart[] = [];
      for (const { found, kind, name, durationSeconds } of parts) {
        // The file may have been replaced since it was checked, so its length is that of the stored copy.
        const { key: audioKey, sizeBytes } =
          'key' in found ? found : await this.#storedFile(found.path, extensionOfFound(found));
        delivered.push({ kind, name, durationSeconds, audioKey, sizeBytes });
      }
      delivery[list] = delivered;
    }
  }
}

/** Whether a part of the track has this file already, which was read when it was stored. */
function isStored(found: Found, { stems, versions }: PartsByList<DeliveredPart>): boolean {
  return 'key' in found && [...stems, ...versions].some(({ audioKey }) => audioKey === found.key);
}

/** Whether a record has a list of parts, even an empty one. */
export function namesParts({
  stems,
  versions,
}: Readonly<Record<PartList, readonly NamedPart[] | null>>): boolean {
  return stems !== null || versions !== null;
}

/** 60 s of MP3 have 2.4 MB at most, and the rest is a picture. A waveform of this size is one of hours of audio. */
const MAX_MIB = 8;
/** By how many seconds a waveform may be longer or shorter than the audio. */
const TOLERANCE_SECONDS = 1;

/** The audio that an item names; undefined if it names none. */
export type AudioOfItem = Found | 'faulty' | undefined;

/** Checks and stores the preview clips and waveforms that records name. */
export class PreviewFiles {
  readonly #catalog: Pick<CatalogStore, 'trackRecord'>;
  readonly #media: MediaStore;
  readonly #tagReader: TagReader;
  readonly #keyOfFile: (path: string, extension: string) => Promise<string>;
  readonly #keyOfBytes: (bytes: Uint8Array, extension: string) => Promise<string>;

  /** `keyOfFile` and `keyOfBytes` store a file, and return its key. */
  constructor(deps: {
    catalog: Pick<CatalogStore, 'trackRecord'>;
    media: MediaStore;
    tagReader: TagReader;
    keyOfFile: (path: string, extension: string) => Promise<string>;
    keyOfBytes: (bytes: Uint8Array, extension: string) => Promise<string>;
  }) {
    this.#catalog = deps.catalog;
    this.#media = deps.media;
    this.#tagReader = deps.tagReader;
    this.#keyOfFile = deps.keyOfFile;
    this.#keyOfBytes = deps.keyOfBytes;
  }

  /**
   * Sets the keys of the clip and the waveform of an item, and returns what is wrong with them. The key of
   * its audio is already set.
   */
  async attach({ prepared, folder }: Item, audio: AudioOfItem): Promise<FieldProblem[]> {
    if (prepared.delivery === null || (prepared.preview ?? prepared.waveform) === null) {
      return [];
    }
    const { delivery, preview, waveform } = prepared;
    const stored = await this.#catalog.trackRecord(delivery.id);
    const steps: [field: string, given: string | null, attach: (found: Found) => Promise<void>][] =
      [
        ['preview', preview, (found) => this.#attachPreview(delivery, found, stored)],
        ['waveform', waveform, (found) => this.#attachWaveform(delivery, found, { stored, audio })],
      ];
    const problems: FieldProblem[] = [];
    for (const [field, given, attach] of steps) {
      if (given !== null) {
        const message = await this.#problemOf(folder, given, attach);
        if (message !== null) {
          problems.push({ field, message });
        }
      }
    }
    return problems;
  }

  async #problemOf(
    folder: string,
    given: string,
    attach: (found: Found) => Promise<void>,
  ): Promise<string | null> {
    const found = await findFile(folder, given, this.#media);
    if ('problem' in found) {
      return found.problem;
    }
    if (found.sizeBytes > MAX_MIB * 1024 * 1024) {
      return `must be ${MAX_MIB} MiB at most`;
    }
    try {
      await attach(found);
      return null;
    } catch (error) {
      if (error instanceof AudioProblem) {
        return error.message;
      }
      throw error;
    }
  }

  async #attachPreview(
    delivery: TrackDelivery,
    found: Found,
    stored: TrackRecord | undefined,
  ): Promise<void> {
    if (extensionOfFound(found) !== 'mp3') {
      throw new AudioProblem('must be an MP3 file (mp3)');
    }
    delivery.previewKey = await withPath(found, this.#media, async (path) => {
      // What the track has already was checked when it was stored.
      if (stored?.previewKey !== (await storedForm(path, 'mp3')).key) {
        await this.#tagReader.readClip(path);
      }
      return this.#keyOfFile(path, 'mp3');
    });
  }

  async #attachWaveform(
    delivery: TrackDelivery,
    found: Found,
    track: { stored: TrackRecord | undefined; audio: AudioOfItem },
  ): Promise<void> {
    const form = extensionOfFound(found);
    if (form !== 'dat' && form !== 'json') {
      throw new AudioProblem('must be audiowaveform data (dat, json)');
    }
    const { dat, durationSeconds, secondsPerPixel } = await withPath(found, this.#media, (path) =>
      this.#tagReader.readWaveform(path, form),
    );
    const { stored } = track;
    const isSame = stored?.waveformKey === `${hash('sha256', dat)}.dat`;
    const isSameAudio = delivery.audioKey === null || delivery.audioKey === stored?.audioKey;
    // The waveform and the audio that the track has already were compared when they were stored.
    if (track.audio !== 'faulty' && !(isSame && isSameAudio)) {
      const seconds = await this.#secondsOfAudio(track.audio, stored);
      // The last pixel may show less audio than the others, or be left out if it would.
      if (Math.abs(durationSeconds - seconds) > TOLERANCE_SECONDS + secondsPerPixel) {
        throw new AudioProblem(
          `must be as long as the audio within ${TOLERANCE_SECONDS} s and one pixel; it has ${durationSeconds.toFixed(1)} s, the audio ${seconds.toFixed(1)} s`,
        );
      }
    }
    delivery.waveformKey = await this.#keyOfBytes(dat, 'dat');
  }

  /** The length of the audio that the item names, otherwise of the stored one. Throws AudioProblem if it is unknown. */
  async #secondsOfAudio(
    audio: Found | undefined,
    stored: TrackRecord | undefined,
  ): Promise<number> {
    const key = stored?.audioKey ?? null;
    const found = audio ?? (key === null ? undefined : { key, sizeBytes: 0 });
    if (found === undefined) {
      throw new AudioProblem('needs audio of the same length, and the track has none');
    }
    const { durationSeconds } = await withPath(found, this.#media, (path) =>
      this.#tagReader.read(path),
    ).catch((error: unknown) => {
      const isLost = error instanceof StaveError && error.kind === 'not_found';
      throw isLost ? new AudioProblem('needs the audio, which the media store has lost') : error;
    });
    if (durationSeconds === 0) {
      throw new AudioProblem('cannot be compared with the audio, whose length is unknown');
    }
    return durationSeconds;
  }
}
