import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { isUuid } from '../kernel/ids.ts';
import { generateArtwork } from './artwork/generate.ts';

const PATH = '/media/artwork/';
/** The number is the generator's version: other pictures get other names, for these are cached for ever. */
const GENERATED = 'generated-1-';
const GENERATED_FORM = new RegExp(`^${GENERATED}([0-9a-f-]{36})\\.png$`);
const STORED_FORM = /^[0-9a-f]{64}\.[a-z0-9]{1,8}$/;

/** Path of a track's artwork: the one delivered with it, or one generated from its id. */
export function artworkPath(trackId: string, artworkKey: string | null): string {
  return artworkKey === null ? generatedPath(trackId) : PATH + artworkKey;
}

/** Path of a playlist's artwork, which is always generated. */
export function playlistArtworkPath(playlistId: string): string {
  return generatedPath(playlistId);
}

/** Names the id whole, so that pictures are drawn for what there is, and not for whatever is asked. */
function generatedPath(id: string): string {
  return `${PATH}${GENERATED}${id}.png`;
}

/** What an artwork name stands for. */
export type ArtworkName = { generatedFor: string } | { key: string };

/** Reads the last part of an artwork path; undefined for one that Stave never gave out. */
export function parseArtworkName(name: string): ArtworkName | undefined {
  const id = GENERATED_FORM.exec(name)?.[1];
  if (id !== undefined) {
    return isUuid(id) ? { generatedFor: id } : undefined;
  }
  return STORED_FORM.test(name) ? { key: name } : undefined;
}

/** Generated pictures, made on the first request and kept while there is room. */
export interface GeneratedArtwork {
  /** A PNG; requests for one picture at a time share its making. */
  picture(seed: string): Promise<Buffer>;
}

/**
 * Draws one picture at a time and lets the event loop turn before each: anybody may ask for artwork,
 * and a page that a partner waits for comes after one drawing, not after hundreds.
 *
 * @param maxBytes how much the kept pictures may take together; one is about 12 KB.
 */
export function openGeneratedArtwork({
  maxBytes,
  generate = generateArtwork,
}: {
  maxBytes: number;
  /** What draws; tests watch it. */
  generate?: (seed: string) => Promise<Buffer>;
}): GeneratedArtwork {
  let latest: Promise<unknown> = Promise.resolve();
  const draw = (seed: string): Promise<Buffer> => {
    const drawn = latest.then(() => nextTurn()).then(() => generate(seed));
    latest = drawn.catch(() => {});
    return drawn;
  };
  const cache = new LRUCache<string, Buffer>({
    maxSize: maxBytes,
    sizeCalculation: (picture) => picture.length,
    fetchMethod: (seed) => draw(seed),
  });
  return {
    async picture(seed) {
      const picture = await cache.fetch(seed);
      return picture ?? draw(seed);
    },
  };
}
