import { type Embedder, PHRASES_MS } from './embedder.ts';
import {
  MAX_TERMS,
  readTermVectors,
  similarity,
  type TermVector,
  termVector,
  writeTermVectors,
} from './term-vectors.ts';

/** A term of the vocabulary that means nearly the same as a phrase. */
export interface NearTerm {
  term: string;
  /** The cosine of their vectors with two decimals. */
  similarity: number;
}

/** The least similarity that counts, which is that of texts about the same mood or scene. */
const LEAST_SIMILARITY = 0.35;

/** The most terms of one phrase. Several may mean the same, of which one counts. */
const MAX_NEAR = 15;

/** The most time for one batch of the vocabulary. A model without a graphics card takes some seconds. */
const TERMS_MS = 60_000;

/** The number of new vectors after which the file is written, so that a restart does not begin again. */
const WRITE_AFTER = 1_000;

/** Compares phrases with the terms of a vocabulary, whose vectors it makes once and keeps in a file. */
export class NearTerms {
  readonly #embedder: Embedder;
  readonly #path: string;
  /** The vectors in the file and those that were made since. */
  #known: Map<string, TermVector> | undefined;
  /** Which vocabulary has all of its vectors. */
  #ready: { key: string; vectors: ReadonlyMap<string, TermVector> } | undefined;
  #wanted: string | undefined;

  /** @param path of the file with the vectors */
  constructor(embedder: Embedder, path: string) {
    this.#embedder = embedder;
    this.#path = path;
  }

  /**
   * Makes the vectors of a vocabulary, as far as they are missing. Ends early if another vocabulary is prepared meanwhile.
   *
   * @param key equal for equal terms only
   */
  async prepare(key: string, terms: readonly string[]): Promise<void> {
    if (this.#wanted === key) return;
    this.#wanted = key;
    try {
      await this.#prepare(key, terms.slice(0, MAX_TERMS));
    } finally {
      // A failure is tried again by the next request.
      if (this.#wanted === key && this.#ready?.key !== key) this.#wanted = undefined;
    }
  }

  /** Returns the nearest terms of each phrase, the nearest first; null if the vocabulary is not ready. */
  async nearest(key: string, phrases: readonly string[]): Promise<NearTerm[][] | null> {
    const ready = this.#ready;
    if (ready?.key !== key) return null;
    const wanted = (await this.#embedder.embed(phrases, PHRASES_MS)).map(termVector);
    const [any] = ready.vectors.values();
    if (any !== undefined && wanted.some(({ numbers }) => numbers.length !== any.numbers.length)) {
      // The service has another model under the same name.
      this.#known = new Map();
      this.#ready = undefined;
      this.#wanted = undefined;
      return null;
    }
    return wanted.map((vector) => nearestOf(vector, ready.vectors));
  }

  async #prepare(key: string, terms: readonly string[]): Promise<void> {
    const embedder = this.#embedder;
    this.#known ??= await readTermVectors(this.#path, embedder.model).catch(() => new Map());
    const known = this.#known!;
    const missing = terms.filter((term) => !known.has(term));
    let unwritten = 0;
    for (let at = 0; at < missing.length; at += embedder.batch) {
      const batch = missing.slice(at, at + embedder.batch);
      const made = await embedder.embed(batch, TERMS_MS);
      const [any] = known.values();
      if (any !== undefined && made.some(({ length }) => length !== any.numbers.length)) {
        known.clear();
        throw new Error('The model has changed: its vectors have another length');
      }
      for (const [i, term] of batch.entries()) known.set(term, termVector(made[i]!));
      unwritten += batch.length;
      if (this.#wanted !== key || this.#known !== known) return;
      if (unwritten >= WRITE_AFTER) {
        await writeTermVectors(this.#path, embedder.model, known);
        unwritten = 0;
      }
    }
    const vectors = new Map(terms.map((term) => [term, known.get(term)!]));
    this.#known = vectors;
    this.#ready = { key, vectors };
    if (missing.length > 0) await writeTermVectors(this.#path, embedder.model, vectors);
  }
}

function nearestOf(phrase: TermVector, vectors: ReadonlyMap<string, TermVector>): NearTerm[] {
  const near: NearTerm[] = [];
  for (const [term, vector] of vectors) {
    const rounded = Math.round(similarity(phrase, vector) * 100) / 100;
    if (rounded >= LEAST_SIMILARITY) near.push({ term, similarity: rounded });
  }
  return near
    .sort((a, b) => b.similarity - a.similarity || (a.term < b.term ? -1 : 1))
    .slice(0, MAX_NEAR);
}
