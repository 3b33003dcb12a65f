import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { AppContext } from '../../src/app/open/context.ts';
import { RenditionProblem } from '../../src/engines/audio/audio-block.ts';
import { AUDIO_EXTENSIONS } from '../../src/engines/blobs/content-types.ts';
import { mediaPath } from '../../src/engines/blobs/media-store.ts';
import { makeRenditions } from '../../src/features/renditions/make-renditions.ts';
import type {
  RenditionClaim,
  RenditionFile,
  RenditionKind,
} from '../../src/features/renditions/rendition.ts';
import type { Renditions } from '../../src/features/renditions/rendition-files.ts';

type Catalog = Pick<AppContext, 'store' | 'media'>;

const CLAIM_MS = 60_000;
/** A file that the media store does not have. */
const LOST_FILE: RenditionFile = { mediaKey: `${'1'.repeat(64)}.dat`, sizeBytes: 1 };

/** Makes renditions, as another node would. */
export class RenditionMaker {
  readonly #catalog: Catalog;
  /** What was made, by the path of the audio and the second at which the clip begins. */
  readonly #made = new Map<string, Promise<Renditions>>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Makes the files of an audio file before they are queued, so that a request does not wait for long. */
  async prepare(audioKey: string, previewStart?: number): Promise<void> {
    await this.#make(audioKey, String(previewStart ?? '')).catch(() => {});
  }

  /** Makes all renditions that are queued. */
  async makeQueued(): Promise<void> {
    const { renditionClaims } = this.#catalog.store;
    for (;;) {
      const claim = await renditionClaims.claim('harness', AUDIO_EXTENSIONS, CLAIM_MS);
      if (claim === undefined) return;
      await this.#serve(claim);
    }
  }

  async #serve(claim: RenditionClaim): Promise<void> {
    const { store, media } = this.#catalog;
    const start = claim.names.find(({ kind }) => kind === 'preview')?.variant ?? '';
    try {
      const made = await this.#make(claim.audioKey, start);
      const files: RenditionFile[] = [];
      for (const { kind } of claim.names) {
        const { bytes, extension } = FILES[kind](made);
        const { key, sizeBytes } = await media.putBytes(bytes, extension);
        files.push({ mediaKey: key, sizeBytes });
      }
      await store.renditionClaims.finish(claim, files);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        // As if they had been made while the store had the audio, and were lost with it.
        await store.renditionClaims.finish(
          claim,
          claim.names.map(() => LOST_FILE),
        );
        return;
      }
      if (!(error instanceof RenditionProblem)) throw error;
      await store.renditionClaims.fail(claim, error.message, false);
    }
  }

  #make(audioKey: string, start: string): Promise<Renditions> {
    const key = `${audioKey} ${start}`;
    let made = this.#made.get(key);
    if (made === undefined) {
      const path = join(this.#catalog.media.place, mediaPath(audioKey));
      const previewStartSeconds = start === '' ? undefined : Number(start);
      made = makeRenditions({ path, previewStartSeconds }, undefined, () => {});
      made.catch(() => {});
      this.#made.set(key, made);
    }
    return made;
  }
}

const FILES: Record<RenditionKind, (made: Renditions) => { bytes: Uint8Array; extension: string }> =
  {
    preview: ({ clip }) => ({ bytes: clip, extension: 'mp3' }),
    waveform: ({ waveformJson }) => ({ bytes: gzipSync(waveformJson), extension: 'jgz' }),
    'waveform-dat': ({ waveformDat }) => ({ bytes: waveformDat, extension: 'dat' }),
  };
