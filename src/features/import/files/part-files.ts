import { type FieldProblem, StaveError } from '../../../common/errors.ts';
import { AUDIO_EXTENSIONS } from '../../../engines/blobs/content-types.ts';
import type { MediaStore, StoredMedia } from '../../../engines/blobs/media-store.ts';
import type { CatalogStore } from '../../catalog/catalog-stores.ts';
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
import { type NamedPart, tooManyParts } from '../canonical/parts.ts';
import { roundedDuration } from '../canonical/values.ts';
import type { Item } from '../item.ts';
import { extensionOfFound, type Found, findFile, withPath } from './found-file.ts';

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
