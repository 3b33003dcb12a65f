import { hash } from 'node:crypto';
import { type FieldProblem, StaveError } from '../../../common/errors.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import type { CatalogStore, TrackRecord } from '../../catalog/catalog-stores.ts';
import type { TrackDelivery } from '../../catalog/track.ts';
import { AudioProblem, type TagReader } from '../audio/tag-reader.ts';
import type { Item } from '../item.ts';
import { extensionOfFound, type Found, findFile, storedForm, withPath } from './found-file.ts';

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
