import type { Segment } from '../segments/segment.ts';
import { comparable, insert, isBetter, type SimilarPlace } from './similarity.ts';

/** The first places of a list, and how many of them the tracks of one artist may have (docs/contract/similar.md#artists). */
const FIRST_PLACES = 10;
const OF_AN_ARTIST = 3;

interface FirstPlace extends SimilarPlace {
  /** The folded name; undefined for a track without artists, of which there may be any number. */
  artist: string | undefined;
}

/** The best of the tracks that were added, at most ten, and at most three of them by one artist. */
export class FirstPlaces {
  readonly #segments: readonly Segment[];
  readonly #places: FirstPlace[] = [];
  /**
   * For each segment and each artist in it, a rank below which no track of the artist can be among the best. It spares
   * the name of the artist of nearly every track.
   */
  readonly #floors: Int32Array[];

  constructor(segments: readonly Segment[]) {
    this.#segments = segments;
    this.#floors = segments.map(
      ({ columns }) => new Int32Array(columns.artists.textStarts.length - 1),
    );
  }

  /** Best first. */
  get places(): readonly SimilarPlace[] {
    return this.#places;
  }

  /** The rank below which no track can be among the best. */
  get leastRank(): number {
    return this.#places[FIRST_PLACES - 1]?.rank ?? 0;
  }

  /** Whether a track of this rank cannot be among the best. */
  excludes(rank: number, part: number, ordinal: number): boolean {
    const artist = this.#segments[part]!.firstArtist(ordinal);
    const floor = artist === undefined ? 0 : this.#floors[part]![artist]!;
    return rank < floor || rank < this.leastRank;
  }

  add(place: SimilarPlace): void {
    const segment = this.#segments[place.part]!;
    const number = segment.firstArtist(place.ordinal);
    const artist = number === undefined ? undefined : comparable(segment.artist(number));
    this.#put({ ...place, artist });
    if (number !== undefined) {
      const ofArtist = this.#by(artist);
      this.#floors[place.part]![number] = ofArtist[OF_AN_ARTIST - 1]?.rank ?? 0;
    }
  }

  #put(place: FirstPlace): void {
    const ofArtist = place.artist === undefined ? [] : this.#by(place.artist);
    const isFull = this.#places.length === FIRST_PLACES;
    const replaced = ofArtist[OF_AN_ARTIST - 1] ?? (isFull ? this.#places.at(-1) : undefined);
    if (replaced !== undefined) {
      if (!isBetter(place, replaced, this.#segments)) return;
      this.#places.splice(this.#places.indexOf(replaced), 1);
    }
    insert(this.#places, place, this.#segments);
  }

  #by(artist: string | undefined): FirstPlace[] {
    return this.#places.filter((place) => place.artist === artist);
  }

  /**
   * The list that begins with these places, and continues with the others. If there are fewer than ten, the other tracks
   * are all by artists who have three, and the list ends.
   * @param others the best tracks, best first, at least `limit` if there are as many
   */
  followedBy(others: readonly SimilarPlace[], limit: number): readonly SimilarPlace[] {
    const first = this.#places.slice(0, limit);
    if (this.#places.length < FIRST_PLACES) return first;
    const isFirst = (other: SimilarPlace) =>
      first.some(({ part, ordinal }) => part === other.part && ordinal === other.ordinal);
    return [...first, ...others.filter((other) => !isFirst(other))].slice(0, limit);
  }
}
