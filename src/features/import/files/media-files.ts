import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { FieldProblem } from '../../../common/errors.ts';
import { openRegularFile } from '../../../common/files.ts';
import { BoundedMap } from '../../../common/memory/caches.ts';
import { limited } from '../../../common/work/limited.ts';
import { type Content, contentOf } from '../../../engines/audio/content.ts';
import { ARTWORK_EXTENSIONS } from '../../../engines/blobs/content-types.ts';
import type { StoredMedia } from '../../../engines/blobs/media-store.ts';
import { coverBytes } from '../../catalog/streamed-audio.ts';
import type { TrackDelivery } from '../../catalog/track.ts';
import { FileProblem } from '../audio/file-problem.ts';
import { roundedDuration } from '../canonical/values.ts';
import type { Item, Place } from '../item.ts';
import { describe } from '../record.ts';
import type { Found, NotFound } from './file-finder.ts';
import {
  extensionOfFound,
  type MediaContext,
  noteAudio,
  problemWith,
  refuseOtherKey,
  storedForm,
} from './found-file.ts';
import { attachPreview, attachWaveform, checkParts, namesParts } from './part-and-preview-files.ts';

/** Larger artwork is taken for a mistake, because clients load it with every track. */
const MAX_ARTWORK_BYTES = 20 * 1024 * 1024;
const CONCURRENCY = 2;
/** How many artwork paths are kept with what is stored. The tracks of an album share their artwork. */
const MAX_ARTWORK_KEYS = 1_000;

/** The phase that stores audio, artwork, previews and parts in the media store. */
export class MediaFiles {
  readonly #context: MediaContext;
  readonly #inTurn = limited(CONCURRENCY);
  readonly #artwork = new BoundedMap<string, StoredMedia>(MAX_ARTWORK_KEYS);

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
      const found = await context.files.find(within, given);
      if ('problem' in found && (await this.#isLeft(item, field, found))) return;
      const message = 'problem' in found ? found.problem : await problemWith(found, take);
      if (message !== null) problems.push({ field, message });
    };
    let audioFile: Found | undefined;
    await attach('audio', audio, async (found) => {
      await this.#attachAudio(item, delivery, found);
      audioFile = found;
    });
    const isFaulty = problems.length > 0;
    await attach(
      'artwork',
      artwork,
      (found) => this.#attachArtwork(item, delivery, found),
      artworkFolder,
    );
    if (artwork === null && picture !== null) {
      const extension = this.#pictureExtension(contentOf(picture), 'the picture in it', item);
      if (extension !== null) {
        refer(delivery, await context.media.putBytes(picture, extension));
      }
    }
    if ((preview ?? waveform) !== null) {
      const stored = await context.catalog.trackRecord(delivery.id);
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

  /** Whether what is stored stays, because a file is missing. Notes it. A track needs audio that it has or gets. */
  async #isLeft(item: Item, field: string, { problem, isMissing }: NotFound): Promise<boolean> {
    const { delivery } = item.prepared;
    const { catalog, notes, strictFiles } = this.#context;
    if (!isMissing || strictFiles || delivery === null) return false;
    if (field === 'audio') {
      const stored = await catalog.trackRecord(delivery.id);
      if ((stored?.audioKey ?? null) === null) return false;
      delivery.durationSeconds ||= stored!.track.durationSeconds;
    }
    notes.add('missing', item, `${field} ${problem}; what is stored stays`);
    return true;
  }

  async #attachAudio(item: Item, delivery: TrackDelivery, found: Found): Promise<void> {
    if ('key' in found) {
      refuseOtherKey(found.key);
      delivery.audioKey = found.key;
      return;
    }
    const { media, tagReader, notes, streams } = this.#context;
    const facts = item.facts ?? (await tagReader.read(found.path)).facts;
    const expectedSeconds = delivery.durationSeconds;
    const name = basename(found.path);
    noteAudio(facts, { place: item, field: 'audio', name, expectedSeconds, streams }, notes);
    delivery.durationSeconds ||= roundedDuration(facts.durationSeconds);
    const stored = await media.putFile(found.path, facts.extension);
    delivery.audioKey = stored.key;
    delivery.audioProperties = { ...facts.properties, bytes: stored.sizeBytes };
  }

  async #attachArtwork(place: Place, delivery: TrackDelivery, found: Found): Promise<void> {
    if ('key' in found) {
      if (!ARTWORK_EXTENSIONS.includes(extensionOfFound(found))) throw new FileProblem(NO_PICTURE);
      delivery.artworkKey = found.key;
      return;
    }
    const stored = this.#artwork.get(found.path) ?? (await this.#storedArtwork(found, place));
    if (stored === null) return;
    this.#artwork.set(found.path, stored);
    refer(delivery, stored);
  }

  async #storedArtwork(
    { path, sizeBytes }: Found & { path: string },
    place: Place,
  ): Promise<StoredMedia | null> {
    if (sizeBytes > MAX_ARTWORK_BYTES) {
      throw new FileProblem(`must be ${MAX_ARTWORK_BYTES / 1024 / 1024} MiB at most`);
    }
    const content = contentOf(await firstBytes(path));
    if (content?.picture === undefined) throw new FileProblem(NO_PICTURE);
    const name = `artwork ${describe(basename(path))}`;
    const extension = this.#pictureExtension(content, name, place);
    return extension === null ? null : this.#context.media.putFile(path, extension);
  }

  /** Returns the extension of a picture that Stave serves. Notes another picture, such as a BMP. */
  #pictureExtension(content: Content | undefined, name: string, place: Place): string | null {
    if (content?.picture === null) {
      const text = `${name} is ${content.name}, which Stave does not serve, and is left out`;
      this.#context.notes.add('picture', place, text);
    }
    return content?.picture ?? null;
  }
}

/** Names the artwork of a delivery. */
function refer(delivery: TrackDelivery, { key, sizeBytes }: StoredMedia): void {
  delivery.artworkKey = key;
  delivery.coverBytes = coverBytes(key, sizeBytes);
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

export function namesFiles({ prepared, picture }: Item): boolean {
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
