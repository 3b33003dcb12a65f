import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isBeneath } from '../../../common/files.ts';
import { BoundedMap, keptIn } from '../../../common/memory/caches.ts';
import { nearest } from '../../../common/text/explain.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import { formsOf } from './name-forms.ts';

/** A file that a record names: a key of the media store, or a file below the folder of the catalog file. */
export type Found = ({ key: string } | { path: string }) & { sizeBytes: number };

/** Why there is no such file. A missing one may have been delivered before. */
export interface NotFound {
  problem: string;
  isMissing: boolean;
}

const MAX_FOLDERS = 50;
/** How many entries of a folder, and of all folders below it, are compared with a name that is missing. */
const MAX_COMPARED = 2_000;
const MAX_WALKED = 20_000;
/** How many misses get the nearest file: each compares many names, and further rejections are not printed. */
const MAX_HINTS = 100;
/** More folders that differ only in case are not tried. */
const MAX_PLACES = 16;

/** Characters of a path in a message. */
const MAX_SHOWN = 200;

/** The names in a folder, by their folded form. */
type Listing = ReadonlyMap<string, readonly string[]>;

/**
 * Finds the files that records name below the folder of their catalog file, or keys of the media store. Never finds a file
 * elsewhere: not by `..`, an absolute path, or a link that leads out of the folder. Keeps what it has read of folders: use one
 * for each import.
 */
export class FileFinder {
  readonly #media: Pick<MediaStore, 'stat'>;
  readonly #listings = new BoundedMap<string, Promise<Listing>>(MAX_FOLDERS);
  readonly #below = new BoundedMap<string, Promise<Listing>>(MAX_FOLDERS);
  #hints = MAX_HINTS;

  constructor(media: Pick<MediaStore, 'stat'>) {
    this.#media = media;
  }

  /**
   * Tries the name as written, then as other systems write it (docs/contract/import.md#referenced-files).
   * @param withHint whether a miss gets the nearest file: not if nobody is told of the miss
   */
  async find(
    folder: string,
    given: string,
    { withHint = true }: { withHint?: boolean } = {},
  ): Promise<Found | NotFound> {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) {
      const problem = 'must be a path or a key, not a URL: Stave fetches nothing';
      return withHint ? this.#refused(folder, given, problem) : { problem, isMissing: false };
    }
    let found: Found | NotFound = { problem: '', isMissing: true };
    for (const form of formsOf(given)) {
      found = await this.#at(folder, form);
      if (!('problem' in found && found.isMissing)) break;
    }
    if (!('problem' in found)) return found;
    if (!found.isMissing) {
      return withHint && found.problem === OUTSIDE ? this.#refused(folder, given, OUTSIDE) : found;
    }
    const isKey = /^[0-9a-f]{64}\.[a-z0-9]{1,5}$/.test(given);
    const stored = isKey ? await this.#media.stat(given) : undefined;
    if (stored !== undefined) return { key: given, sizeBytes: stored.sizeBytes };
    const similar = await this.#differingInCase(folder, formsOf(given).at(-1)!);
    if (similar.length === 1) return this.#at(folder, similar[0]!);
    const isAlone = similar.length === 0 && withHint;
    const near = isAlone ? await this.#near(folder, given, true) : similar[0];
    return {
      problem: `names ${shown(given)}, which does not exist${hint(near, similar.length)}`,
      isMissing: true,
    };
  }

  async #at(folder: string, place: string): Promise<Found | NotFound> {
    const isOutside =
      isAbsolute(place) || /^([a-z]:|\\)/i.test(place) || place.split(/[/\\]/).includes('..');
    if (isOutside || place.includes('\0')) return { problem: OUTSIDE, isMissing: false };
    try {
      const path = await realpath(join(folder, place));
      if (!isBeneath(path, await realpath(folder))) return { problem: OUTSIDE, isMissing: false };
      const stats = await stat(path);
      if (!stats.isFile()) return { problem: 'must be a regular file', isMissing: false };
      return stats.size === 0
        ? { problem: 'is empty', isMissing: false }
        : { path, sizeBytes: stats.size };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A name that is too long, too, names no file.
      const isMissing = code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG';
      return { problem: `cannot be read (${code})`, isMissing };
    }
  }

  async #refused(folder: string, given: string, problem: string): Promise<NotFound> {
    const near = await this.#near(folder, given, false);
    return {
      problem: near ? `${problem}; it is ${shown(given)}${hint(near)}` : problem,
      isMissing: false,
    };
  }

  /** The files that differ from the path only in case or in the form of their accents. */
  async #differingInCase(folder: string, path: string): Promise<string[]> {
    let places = [''];
    for (const name of path.split('/').filter((part) => part !== '' && part !== '.')) {
      const next: string[] = [];
      for (const place of places) {
        const names = (await this.#listing(folder, place)).get(folded(name)) ?? [];
        next.push(...names.map((found) => join(place, found)));
      }
      places = next.slice(0, MAX_PLACES);
    }
    return places;
  }

  /** The nearest file: one of the same name elsewhere below the folder, otherwise one of a similar name in the same folder. */
  async #near(folder: string, given: string, isSimilar: boolean): Promise<string | undefined> {
    if (this.#hints <= 0) return undefined;
    this.#hints--;
    const path = given.replaceAll('\\', '/');
    const name = basename(path);
    const [same] =
      (await keptIn(this.#below, folder, () => filesBelow(folder))).get(folded(name)) ?? [];
    if (same !== undefined || !isSimilar) return same;
    const [place] = await this.#differingInCase(folder, dirname(path));
    if (place === undefined) return undefined;
    const listing = await this.#listing(folder, place);
    const names = [...listing.values()].flat().slice(0, MAX_COMPARED);
    const near =
      names.find((one) => folded(one).startsWith(`${folded(name)}.`)) ?? nearest(name, names);
    return near && join(place, near);
  }

  #listing(root: string, place: string): Promise<Listing> {
    const path = join(root, place);
    return keptIn(this.#listings, path, async () =>
      Map.groupBy((await namesIn(path, root).catch(() => [])).sort(), folded),
    );
  }
}

/** The first regular files below the folder, by their folded names. */
async function filesBelow(folder: string): Promise<Listing> {
  const files: string[] = [];
  const folders = [''];
  for (let walked = 0, place = folders.shift(); place !== undefined; place = folders.shift()) {
    const entries = await readdir(join(folder, place), { withFileTypes: true }).catch(() => []);
    walked += entries.length;
    if (walked > MAX_WALKED) break;
    for (const entry of entries) {
      if (entry.isFile()) files.push(join(place, entry.name));
      if (entry.isDirectory()) folders.push(join(place, entry.name));
    }
  }
  return Map.groupBy(files, (file) => folded(basename(file)));
}

/** Returns no names of a folder that a link leads to, unless it is below the other one. */
async function namesIn(folder: string, root: string): Promise<string[]> {
  const [real, realRoot] = [await realpath(folder), await realpath(root)];
  return real === realRoot || isBeneath(real, realRoot) ? readdir(real) : [];
}

const OUTSIDE = 'must lie beneath the folder of the file that names it';

function folded(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function shown(path: string): string {
  const short = path.length > MAX_SHOWN ? `…${path.slice(-MAX_SHOWN)}` : path;
  // A space that is none looks like one.
  return JSON.stringify(short).replace(/(?! )[\p{Zs}\p{Cf}]/gu, (sign) => {
    return `\\u${sign.codePointAt(0)!.toString(16).padStart(4, '0')}`;
  });
}

function hint(near: string | undefined, count = 0): string {
  if (near === undefined) return '';
  if (count > 1) return `; ${count} files differ from it only in case, such as ${shown(near)}`;
  return `; the nearest file is ${shown(near)}`;
}
