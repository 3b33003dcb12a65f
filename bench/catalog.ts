import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** The words and credits of the real catalogs, from which large ones are made. */
export interface RealParts {
  names: string[];
  artists: string[];
  /** The filter lists of real records, each as delivered, so that their use stays heavy-tailed. */
  filters: string[][];
}

/** Reads what the real catalogs hold; about a second. */
export async function readRealParts(dataFolder: string): Promise<RealParts> {
  const parts: RealParts = { names: [], artists: [], filters: [] };
  for (const file of (await readdir(dataFolder))
    .filter((name) => name.endsWith('.ndjson.gz'))
    .sort()) {
    const lines = createInterface({
      input: createReadStream(join(dataFolder, file)).pipe(createGunzip()),
      crlfDelay: Infinity,
    });
    for await (const line of lines) {
      const record = JSON.parse(line);
      if (typeof record.name === 'string' && record.name.trim() !== '')
        parts.names.push(record.name);
      for (const artist of record.artists ?? []) parts.artists.push(artist.name);
      const genres = (record.tags?.genre ?? []).map((name: string) => `genre:${name}`);
      const moods = (record.tags?.mood ?? []).map((name: string) => `mood:${name}`);
      if (genres.length + moods.length > 0) parts.filters.push([...genres, ...moods]);
    }
  }
  return parts;
}

/**
 * Writes `count` records in Stave's own form, one a line: the words of two real names, a real artist
 * and a real record's filters, drawn by a generator with a fixed seed, so that every run measures the
 * same catalog. Three names in a hundred carry a word found nowhere else.
 */
export async function writeCatalog(path: string, count: number, parts: RealParts): Promise<void> {
  const random = seededRandom(20_261_121);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const out = createWriteStream(path);
  let chunk = '';
  for (let i = 0; i < count; i++) {
    const first = pick(parts.names).split(' ').slice(0, 2);
    const second = pick(parts.names).split(' ').slice(0, 2);
    const rare = random() < 0.03 ? [`w${i.toString(36)}q`] : [];
    const record = {
      externalId: `bench-${i}`,
      name: [...first, ...second, ...rare].join(' '),
      type: random() < 0.07 ? 'sfx' : 'music',
      durationSeconds: 20 + Math.floor(random() * 400),
      bpm: 60 + Math.floor(random() * 120),
      releaseDate: new Date(946_684_800_000 + Math.floor(random() * 8e11)).toISOString(),
      hasVocals: random() < 0.3,
      artists: [{ name: pick(parts.artists), role: 'MAIN_ARTIST', isPrimary: true }],
      filters: pick(parts.filters),
    };
    chunk += `${JSON.stringify(record)}\n`;
    if (chunk.length > 1 << 20) {
      if (!out.write(chunk)) await once(out, 'drain');
      chunk = '';
    }
  }
  out.end(chunk);
  await once(out, 'finish');
}

/** Mulberry32: a small generator whose every run gives the same numbers from 0 up to 1. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
