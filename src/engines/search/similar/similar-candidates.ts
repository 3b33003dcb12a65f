import type { IndexQuery } from '../catalog-index.ts';
import type { SegmentSearch } from '../query/segment-search.ts';
import { partitionPoint } from '../sets/bits.ts';
import { filterLabel } from '../sets/labels.ts';
import { asSet } from '../sets/track-set.ts';
import { type ComparedLabels, GENRE, type LabelSets, MOOD, OTHER } from './label-sets.ts';
import { type BestSimilar, overlap, type Seed, type Similarity } from './similarity.ts';
import { labelsIn, Ties } from './ties.ts';

interface GivenCandidates {
  /** The segment and its number. */
  part: SegmentSearch;
  number: number;
  labels: ComparedLabels;
  seed: Seed;
  similarity: Similarity;
  best: BestSimilar;
}

/** The tracks of one segment that are compared with a seed. */
export class SimilarCandidates {
  readonly #given: GivenCandidates;
  /** The genres and moods of the seed that the segment has, as labels. */
  readonly #shared: readonly number[];
  readonly #ties: Ties;

  constructor(given: GivenCandidates) {
    const { part, seed } = given;
    this.#given = given;
    this.#shared = labelsIn(part, [...seed.genres, ...seed.moods].map(filterLabel));
    this.#ties = new Ties(part, seed);
  }

  /**
   * Adds the tracks that meet the query to the best ones, except those that cannot be among them.
   * @param scoreEachUpTo the number of tracks up to which each of them is scored
   */
  add(query: IndexQuery, scoreEachUpTo: number): void {
    const { part } = this.#given;
    const { segment } = part;
    part.begin();
    const matches = part.findAll(query);
    if (matches.count <= scoreEachUpTo) {
      const scoreOf = this.scores();
      const { best, number } = this.#given;
      matches.visit(0, segment.size, 0, (ordinal) => {
        const score = scoreOf(ordinal);
        const isWanted =
          score !== undefined && best.admits(this.#ties.highestRank(score), number, ordinal);
        if (isWanted) this.#addTrack(ordinal, score);
        return false;
      });
      return;
    }
    const found = asSet(matches, () => part.take());
    const passes = (ordinal: number) => found.has(ordinal);
    const wanted = labelsIn(part, (query.filterIds ?? []).map(filterLabel));
    if (this.#hasLabels) this.#addOfSets(this.#given.labels.sets!, wanted, passes);
    else this.#addByTempo(segment.orders.byBpm, [0, 0], passes);
  }

  get #hasLabels(): boolean {
    return this.#given.seed.genres.length + this.#given.seed.moods.length > 0;
  }

  /** Returns a function that scores a track, in units; it returns undefined for a track that is not in the list. */
  scores(): (ordinal: number) => number | undefined {
    const { labels, labelStarts, bpms } = this.#given.part.segment.tracks;
    const { kinds } = this.#given.labels;
    const { genres, moods } = this.#given.seed;
    const isShared = new Uint8Array(kinds.length);
    for (const label of this.#shared) isShared[label] = 1;
    return (ordinal) => {
      let genreCount = 0;
      let moodCount = 0;
      let sharedGenres = 0;
      let sharedMoods = 0;
      for (let i = labelStarts[ordinal]!; i < labelStarts[ordinal + 1]!; i++) {
        const label = labels[i]!;
        const kind = kinds[label]!;
        if (kind === OTHER) continue;
        if (kind === GENRE) {
          genreCount++;
          sharedGenres += isShared[label]!;
        } else {
          moodCount++;
          sharedMoods += isShared[label]!;
        }
      }
      const bpm = this.#given.similarity.tempo && this.#given.similarity.bpm(bpms[ordinal]!);
      const isCandidate = this.#hasLabels ? sharedGenres + sharedMoods > 0 : bpm > 0;
      if (!isCandidate) return undefined;
      const genre = genres.length && overlap(sharedGenres, genres.length, genreCount);
      const mood = moods.length && overlap(sharedMoods, moods.length, moodCount);
      return this.#given.similarity.score(genre, mood, bpm);
    };
  }

  /**
   * Adds the tracks of the sets that share a label with the seed, the most promising sets first.
   * @param wanted the labels of the filters that a track must have
   */
  #addOfSets(
    sets: LabelSets,
    wanted: readonly number[],
    passes: (ordinal: number) => boolean,
  ): void {
    const { kinds, trackStarts } = sets;
    const isKind = (kind: number) => (label: number) => kinds[label] === kind;
    const sharedGenres = countBySet(sets, this.#shared.filter(isKind(GENRE)));
    const sharedMoods = countBySet(sets, this.#shared.filter(isKind(MOOD)));
    const wantedOfSets = wanted.filter((label) => kinds[label] !== OTHER);
    const found = countBySet(sets, wantedOfSets);
    const { genres, moods, tempo } = this.#given.seed;
    const overlapsOf = (set: number): Overlaps => [
      genres.length && overlap(sharedGenres[set]!, genres.length, sets.genres[set]!),
      moods.length && overlap(sharedMoods[set]!, moods.length, sets.moods[set]!),
    ];
    const bounds = new Map<number, number[]>();
    for (let set = 0; set < found.length; set++) {
      if (sharedGenres[set] === 0 && sharedMoods[set] === 0) continue;
      if (found[set] !== wantedOfSets.length) continue;
      const [genre, mood] = overlapsOf(set);
      const bound = this.#given.similarity.score(genre, mood, tempo && 1);
      const alike = bounds.get(bound);
      if (alike === undefined) bounds.set(bound, [set]);
      else alike.push(set);
    }
    for (const bound of [...bounds.keys()].sort((a, b) => b - a)) {
      for (const set of bounds.get(bound)!) {
        if (this.#given.best.excludes(this.#ties.highestRank(bound))) return;
        const tracks = sets.tracks.subarray(trackStarts[set], trackStarts[set + 1]);
        this.#addByTempo(tracks, overlapsOf(set), passes);
      }
    }
  }

  /**
   * Adds tracks that are ordered by tempo and have these overlaps. Begins with the tempo of the seed, its half
   * and its double, and ends in each direction where tempos are too far away.
   */
  #addByTempo(
    tracks: Uint32Array,
    [genre, mood]: Overlaps,
    passes: (ordinal: number) => boolean,
  ): void {
    const similarity = this.#given.similarity;
    const list = new TempoList(tracks, this.#given.part.segment.tracks.bpms);
    const visit: VisitRun = (start, end, tempo) => {
      const bpm = similarity.tempo && similarity.bpm(tempo);
      const score = similarity.score(genre, mood, bpm);
      const isCandidate = this.#hasLabels || bpm > 0;
      const highest = this.#ties.highestRank(score);
      if (!isCandidate || this.#given.best.excludes(highest)) return false;
      for (let place = start; place < end; place++) {
        const ordinal = tracks[place]!;
        // The tracks of a tempo are in catalog order, so no later track is admitted.
        if (!this.#given.best.admits(highest, this.#given.number, ordinal)) break;
        if (passes(ordinal)) this.#addTrack(ordinal, score);
      }
      return true;
    };
    if (similarity.tempo > 0) list.visitAround(similarity.tempo, visit);
    else list.visitAll(visit);
  }

  #addTrack(ordinal: number, score: number): void {
    const best = this.#given.best;
    const part = this.#given.number;
    const rank = this.#ties.rank(ordinal, score);
    if (best.admits(rank, part, ordinal) && !this.#ties.isSameRecording(ordinal)) {
      best.add({ part, ordinal, rank });
    }
  }
}

/** What a track has in common with the seed; 0 for what the seed lacks. */
type Overlaps = readonly [genre: number, mood: number];

function countBySet(
  { owners, ownerStarts, genres }: LabelSets,
  labels: readonly number[],
): Uint16Array {
  const counts = new Uint16Array(genres.length);
  for (const label of labels) {
    for (let i = ownerStarts[label]!; i < ownerStarts[label + 1]!; i++) counts[owners[i]!]!++;
  }
  return counts;
}

/** Receives the tracks at `start` to `end - 1` of a list, which have one tempo. Returns whether to continue. */
type VisitRun = (start: number, end: number, tempo: number) => boolean;

/** A list of tracks that is ordered by tempo, unknown ones (0) last. */
class TempoList {
  readonly #tracks: Uint32Array;
  /** The tempo of each track of the segment, in thousandths of a beat per minute. */
  readonly #tempos: Uint32Array;

  constructor(tracks: Uint32Array, tempos: Uint32Array) {
    this.#tracks = tracks;
    this.#tempos = tempos;
  }

  visitAll(visit: VisitRun): void {
    this.#visitUp(0, this.#tracks.length, visit);
  }

  /**
   * Visits the runs in six walks: from a tempo, its half and its double, up and down, to the tempo from which
   * another of the three is nearer. A walk ends when `visit` returns false. Unknown tempos come last.
   */
  visitAround(tempo: number, visit: VisitRun): void {
    const end = this.#tracks.length;
    const known = this.#first(0, end, (one) => one !== 0);
    const endOfHalf = this.#first(0, known, (one) => 3 * one <= 2 * tempo);
    const startOfDouble = this.#first(endOfHalf, known, (one) => 3 * one <= 4 * tempo);
    this.#visitFrom(tempo, endOfHalf, startOfDouble, visit);
    this.#visitFrom(tempo / 2, 0, endOfHalf, visit);
    this.#visitFrom(tempo * 2, startOfDouble, known, visit);
    this.#visitUp(known, end, visit);
  }

  #visitFrom(center: number, low: number, high: number, visit: VisitRun): void {
    if (low === high) return;
    const middle = this.#first(low, high, (one) => one < center);
    this.#visitUp(middle, high, visit);
    for (let end = middle; end > low; ) {
      const tempo = this.#tempoAt(end - 1);
      let step = 1;
      while (end - step > low && this.#tempoAt(end - step - 1) === tempo) step *= 2;
      const least = Math.max(low, end - step);
      const start = this.#first(least, end, (one) => one !== tempo);
      if (!visit(start, end, tempo)) return;
      end = start;
    }
  }

  #visitUp(low: number, high: number, visit: VisitRun): void {
    for (let start = low; start < high; ) {
      const tempo = this.#tempoAt(start);
      let step = 1;
      while (start + step < high && this.#tempoAt(start + step) === tempo) step *= 2;
      const end = this.#first(start, Math.min(high, start + step), (one) => one === tempo);
      if (!visit(start, end, tempo)) return;
      start = end;
    }
  }

  #first(low: number, high: number, isBefore: (tempo: number) => boolean): number {
    return partitionPoint(low, high, (place) => isBefore(this.#tempoAt(place)));
  }

  #tempoAt(place: number): number {
    return this.#tempos[this.#tracks[place]!]!;
  }
}
