import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../../../common/files.ts';
import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import { BELOW_REQUESTS } from '../../../common/threads/thread.ts';
import { RenditionProblem } from '../../../engines/audio/audio-block.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import type { LocalAudio } from '../local-audio.ts';
import type { RenditionName } from '../rendition.ts';
import type { ProcessedOutcome } from '../rendition-processor.ts';
import { RenditionThread } from '../rendition-thread.ts';
import type { StreamStore } from '../store/stream-store.ts';
import { GrowingFile } from './growing-file.ts';
import { recipeOfName, streamFile } from './stream-name.ts';

/** The most streams that a node encodes for requests at the same time, besides those of its threads. */
const MAX_ENCODINGS = 2;
const COUNTED = 'stream encoding';

export interface EncodingsOptions {
  store: Pick<StreamStore, 'keep' | 'refuse' | 'request'>;
  media: Pick<MediaStore, 'keepDerivedFile'>;
  audio: Pick<LocalAudio, 'open'>;
  /** For files that are not complete. */
  folder: string;
  ffmpeg: () => Promise<string | undefined>;
  /** Counts the encodings of all threads of this node. */
  openCounts: OpenCounts;
  onOutcome(outcome: ProcessedOutcome, count: number): void;
  /** Called for each failure that the audio did not cause. */
  onError: (error: unknown, what: string) => void;
}

/** Encodes streams that requests need now. Another node may encode the same stream: its bytes are equal. */
export class Encodings {
  readonly #options: EncodingsOptions;
  readonly #running = new Map<string, { file: GrowingFile; ended: Promise<void> }>();
  readonly #closing = new AbortController();

  constructor(options: EncodingsOptions) {
    this.#options = options;
  }

  /** Returns the file of a stream that is being encoded. */
  running(name: RenditionName): GrowingFile | undefined {
    return this.#running.get(streamFile(name))?.file;
  }

  /** Begins to encode a stream, unless it runs. Returns undefined if too many run already. */
  begin(name: RenditionName): GrowingFile | undefined {
    const key = streamFile(name);
    const known = this.#running.get(key);
    if (known !== undefined) return known.file;
    const { openCounts, folder } = this.#options;
    if (this.#closing.signal.aborted || !openCounts.enter(COUNTED, MAX_ENCODINGS)) return undefined;
    const file = new GrowingFile(join(folder, `${randomUUID()}.mp3`));
    const ended = this.#encode(name, file).finally(() => {
      openCounts.leave(COUNTED);
      this.#running.delete(key);
    });
    this.#running.set(key, { file, ended });
    return file;
  }

  /** Ends what runs. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  /** Never rejects. */
  async #encode(name: RenditionName, file: GrowingFile): Promise<void> {
    const { store, media, onOutcome, onError } = this.#options;
    try {
      const sizeBytes = await this.#write(name, file.path);
      file.end('whole');
      const mediaKey = streamFile(name);
      await media.keepDerivedFile(mediaKey, file.path);
      await store.keep(name, { mediaKey, sizeBytes });
      onOutcome('made', 1);
    } catch (error) {
      file.end('failed');
      if (this.#closing.signal.aborted) return;
      await this.#record(name, error).catch((second) => onError(second, 'recording a stream'));
    } finally {
      await rm(file.path, { force: true }).catch(() => {});
    }
  }

  async #write(name: RenditionName, target: string): Promise<number> {
    const { audio, folder, ffmpeg } = this.#options;
    await makePrivateFolder(folder);
    const { signal } = this.#closing;
    await using source = await audio.open(name.audioKey, signal);
    const thread = new RenditionThread({ ffmpeg: await ffmpeg(), lowerBy: BELOW_REQUESTS });
    const close = () => void thread.close();
    signal.addEventListener('abort', close);
    try {
      signal.throwIfAborted();
      return await thread.encode({ path: source.path, target, ...recipeOfName(name) });
    } finally {
      signal.removeEventListener('abort', close);
      await thread.close();
    }
  }

  /** Audio that cannot be decoded has no stream. What may be repeated is left to the queue, which counts attempts. */
  async #record(name: RenditionName, error: unknown): Promise<void> {
    const { store, onOutcome, onError } = this.#options;
    if (error instanceof RenditionProblem && ['file', 'silent'].includes(error.kind)) {
      onOutcome('failed', 1);
      await store.refuse(name, error.message);
      return;
    }
    onOutcome('retried', 1);
    if (error instanceof RenditionProblem) await store.request([name]);
    else onError(error, 'encoding a stream');
  }
}
