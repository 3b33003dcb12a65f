import type { IndexEntry } from '../catalog/catalog-index.ts';
import type { Credit } from '../catalog/track.ts';
import { decodeStored } from './stored-value.ts';

type SearchedMembers = Pick<IndexEntry, 'artists' | 'tags'>;

/**
 * The text in a document before and after its tags and artists. Quotes within strings are escaped, so the
 * first occurrence is the member. The databases cut the members out as text, because not all databases can
 * parse every string of JSON.
 */
export const BEFORE_MEMBERS = ',"tags":';
export const AFTER_MEMBERS = ',"filters":';

/** The number of different texts that are kept: a few megabytes. */
const MAX_TEXTS = 10_000;

/**
 * Reads the texts of a track that are searched in addition to its name. Tracks with equal texts share one
 * object.
 */
export class SearchedMembersReader {
  readonly #read = new Map<string, SearchedMembers>();

  /** `text` is the part of the document between `BEFORE_MEMBERS` and `AFTER_MEMBERS`. */
  of(text: string): SearchedMembers {
    let members = this.#read.get(text);
    if (members === undefined) {
      members = decodeStored(text, read);
      if (this.#read.size === MAX_TEXTS) this.#read.clear();
      this.#read.set(text, members);
    }
    return members;
  }
}

function read(text: string): SearchedMembers {
  const { tags, artists } = JSON.parse(`{"tags":${text}}`) as { tags: string[]; artists: Credit[] };
  return { artists: [...new Set(artists.map(({ name }) => name))], tags };
}
