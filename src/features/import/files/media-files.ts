import { hash } from 'node:crypto';
import type { FieldProblem } from '../../../common/errors.ts';
import { openRegularFile } from '../../../common/files.ts';
import { BoundedMap } from '../../../common/memory/caches.ts';
import { limited } from '../../../common/work/limited.ts';
import { ARTWORK_EXTENSIONS } from '../../../engines/blobs/content-types.ts';
import type { TrackDelivery } from '../../catalog/track.ts';
import { FileProblem } from '../audio/file-problem.ts';
import { roundedDuration } from '../canonical/values.ts';
import type { Item } from '../item.ts';
import {
  audioExtension,
  extensionOfFound,
  type Found,
  type MediaContext,
  pictureExtension,
  problemWith,
  storedForm,
} from './found-file.ts';
import { attachPreview, attachWaveform, checkParts, namesParts } from './part-and-preview-files.ts';

/** Larger artwork is taken for a mistake, because clients load it with every track. */
const MAX_ARTWORK_BYTES = 20 * 1024 * 1024;
const CONCURRENCY = 2;
/** How many artwork paths are kept with their keys. The tracks of an album share their artwork. */
const MAX_ARTWORK_KEYS = 1_000;

/** The phase that stores audio, artwork, previews and parts in the media store. */
export class MediaFiles {
  readonly #context: MediaContext;
  readonly #inTurn = limited(CONCURRENCY);
  readonly #artworkKeys = new BoundedMap<string, string>(MAX_ARTWORK_KEYS);

  /** With `dryRun`, computes the keys and stores nothing. */
  constructor({ dryRun, ...context }: MediaContext & { dryRun: boolean }) {
    this.#context = dryRun ? { ...context, media: storingNothing(context.media) } : context;
  }

  /** Stores files, and sets keys and durations. An item with a faulty file becomes a rejected one. */
  async attach(items: readonly Item[]): Promise<void> {
    const attachments = items.filter(namesFiles).map((item) => {
      return this.#inTurn(() => this.#attachOne(item));
    });
    await Promise.all(attachments);
  }

  async #attachOne(item: Item): Promise<void> {
    const { prepared, folder, artworkFolder = folder, picture } = item;
    if (prepared.delivery === null) return;
    const { delivery, audio, artwork, preview, waveform } = prepared;
    const context = this.#context;
    const problems: FieldProblem[] = [];
    const attach = async (
      field: string,
      given: string | null,
      take: (found: Found) => Promise<void>,
      within = folder,
    ) => {
      if (given === null) return;
      const message = await problemWith(within, given, context.media, take);
      if (message !== null) problems.push({ field, message });
    };
    let audioFile: Found | undefined;
    await attach('audio', audio, async (found) => {
      await this.#attachAudio(item, delivery, found);
      audioFile = found;
    });
    await attach(
      'artwork',
      artwork,
      (found) => this.#attachArtwork(delivery, found),
      artworkFolder,
    );
    if (artwork === null && picture !== null) {
      const extension = pictureExtension(picture);
      delivery.artworkKey =
        extension === undefined ? null : (await context.media.putBytes(picture, extension)).key;
    }
    if ((preview ?? waveform) !== null) {
      const stored = await context.catalog.trackRecord(delivery.id);
      const isFaulty = audio !== null && audioFile === undefined;
      const track = { delivery, stored, audio: isFaulty ? ('faulty' as const) : audioFile };
      await attach('preview', preview, (found) => attachPreview(found, track, context));
      await attach('waveform', waveform, (found) => attachWaveform(found, track, context));
    }
    const parts = await checkParts(item, context);
    problems.push(...parts.problems);
    if (problems.length > 0) {
      item.prepared = { delivery: null, id: delivery.id, problems };
    } else {
      await parts.store(delivery);
    }
  }

  async #attachAudio(item: Item, delivery: TrackDelivery, found: Found): Promise<void> {
    const extension = audioExtension(found);
    if ('key' in found) {
      delivery.audioKey = found.key;
      return;
    }
    const { media, tagReader } = this.#context;
    if (delivery.durationSeconds === 0 && !item.isRead) {
      const { durationSeconds } = await tagReader.read(found.path);
      delivery.durationSeconds = roundedDuration(durationSeconds);
    }
    delivery.audioKey = (await media.putFile(found.path, extension)).key;
  }

  async #attachArtwork(delivery: TrackDelivery, found: Found): Promise<void> {
    if ('key' in found) {
      if (!ARTWORK_EXTENSIONS.includes(extensionOfFound(found))) throw new FileProblem(NO_PICTURE);
      delivery.artworkKey = found.key;
      return;
    }
    const key = this.#artworkKeys.get(found.path) ?? (await this.#keyOfArtwork(found));
    this.#artworkKeys.set(found.path, key);
    delivery.artworkKey = key;
  }

  async #keyOfArtwork({ path, sizeBytes }: Found & { path: string }): Promise<string> {
    if (sizeBytes > MAX_ARTWORK_BYTES) {
      throw new FileProblem(`must be ${MAX_ARTWORK_BYTES / 1024 / 1024} MiB at most`);
    }
    const extension = pictureExtension(await firstBytes(path));
    if (extension === undefined) throw new FileProblem(NO_PICTURE);
    return (await this.#context.media.putFile(path, extension)).key;
  }
}

const NO_PICTURE = 'must be a PNG, JPEG, GIF, WebP or AVIF picture';

function storingNothing(media: MediaContext['media']): MediaContext['media'] {
  return {
    stat: (key) => media.stat(key),
    read: (key) => media.read(key),
    ...(media.localPath && { localPath: (key) => media.localPath!(key) }),
    putFile: storedForm,
    putBytes: async (bytes, extension) => ({
      key: `${hash('sha256', bytes)}.${extension}`,
      sizeBytes: bytes.length,
    }),
  };
}

function namesFiles({ prepared, picture }: Item): boolean {
  return (
    prepared.delivery !== null &&
    (prepared.audio !== null ||
      prepared.artwork !== null ||
      prepared.preview !== null ||
      prepared.waveform !== null ||
      namesParts(prepared) ||
      picture !== null)
  );
}

async function firstBytes(path: string): Promise<Uint8Array> {
  await using file = await openRegularFile(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
  return buffer.subarray(0, bytesRead);
}
