import { LRUCache } from 'lru-cache';
import { unavailable } from '../../../common/errors.ts';
import { isUuid } from '../../../common/ids.ts';
import type { Log } from '../../../common/log.ts';
import { asBuffer } from '../../../common/threads/calls.ts';
import { LazyThread } from '../../../common/threads/thread.ts';
import { limited } from '../../../common/work/limited.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';

const PATH = '/media/artwork/';
/** The version of the generator. A new version needs new names, because pictures are cached forever. */
const GENERATED = 'generated-1-';
const GENERATED_FORM = new RegExp(`^${GENERATED}([0-9a-f-]{36})\\.png$`);
const STORED_FORM = /^[0-9a-f]{64}\.[a-z0-9]{1,8}$/;

export function artworkPath(trackId: string, artworkKey: string | null): string {
  return artworkKey === null ? generatedArtworkPath(trackId) : PATH + artworkKey;
}

/** The path contains the whole id, so that pictures are generated only for existing tracks and playlists. */
export function generatedArtworkPath(id: string): string {
  return PATH + generatedName(id);
}

function generatedName(id: string): string {
  return `${GENERATED}${id}.png`;
}

export type ArtworkName = { generatedFor: string } | { key: string };

/** Parses the last part of an artwork path; undefined if Stave never issued it. */
export function parseArtworkName(name: string): ArtworkName | undefined {
  const id = GENERATED_FORM.exec(name)?.[1];
  if (id !== undefined) return isUuid(id) ? { generatedFor: id } : undefined;
  return STORED_FORM.test(name) ? { key: name } : undefined;
}

/**
 * Returns a function that reads the generated PNG of an id from memory or from the store, or else draws it, so that each
 * is drawn about once for all nodes. Concurrent requests share the work. A failure of the store does not fail the
 * request. Rejects with `unavailable` if too many pictures wait.
 *
 * @param maxBytes of all pictures in memory; one takes about 12 KB
 */
export function generatedArtwork({
  maxBytes,
  store,
  log,
  draw,
}: {
  maxBytes: number;
  store: Pick<MediaStore, 'readDerived' | 'keepDerived'>;
  log: Log;
  draw: (seed: string) => Promise<Buffer>;
}): (id: string) => Promise<Buffer> {
  let lastMessage: string | undefined;
  const attempt = async <T>(work: Promise<T>): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      const { message } = error as Error;
      // Logs equal messages once: a full disk would be logged at each request.
      if (message !== lastMessage) {
        lastMessage = message;
        log.warn({ err: error }, 'generated artwork cannot be kept in the media store');
      }
      return undefined;
    }
  };
  const make = async (id: string): Promise<Buffer> => {
    const name = generatedName(id);
    const kept = await attempt(store.readDerived(name));
    if (kept !== undefined) return kept;
    const drawn = await draw(id);
    await attempt(store.keepDerived(name, drawn));
    return drawn;
  };
  const cache = new LRUCache<string, Buffer>({
    maxSize: maxBytes,
    sizeCalculation: (picture) => picture.length,
    fetchMethod: (id) => make(id),
  });
  return async (id) => (await cache.fetch(id)) ?? make(id);
}

/** Twice as many pictures as a page of tracks can have. They take about a second. */
const MAX_WAITING = 200;

const IDLE_MS = 10_000;

/**
 * Draws pictures in a separate thread, one at a time, because anyone may request them, and each takes milliseconds of
 * processor time.
 */
export class DrawingThread {
  readonly #thread: LazyThread<{ draw(seed: string): Uint8Array }>;
  readonly #turns: ReturnType<typeof limited>;

  constructor({
    script = new URL('./draw-worker.ts', import.meta.url),
    maxWaiting = MAX_WAITING,
  }: {
    script?: URL;
    maxWaiting?: number;
  } = {}) {
    this.#thread = new LazyThread(script, { idleMs: IDLE_MS });
    this.#turns = limited(1, {
      most: maxWaiting,
      tooLong: () =>
        unavailable('Too many pictures are waiting to be drawn; try again in a moment.', 1),
    });
  }

  /** Returns a PNG. Rejects with `unavailable` if too many wait, and with the error that ended the thread. */
  async draw(seed: string): Promise<Buffer> {
    return asBuffer(await this.#turns(() => this.#thread.call('draw', seed)));
  }
}
