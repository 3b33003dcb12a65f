/** Turns texts into vectors whose cosine says how near their meanings are. Used in a thread only. */
export interface Embedder {
  /** Which model makes the vectors: those of different models cannot be compared. */
  readonly model: string;
  /** The most texts of one call. */
  readonly batch: number;
  /** Returns a vector for each text, all of the same length. Rejects if it takes longer, or the model cannot be used. */
  embed(texts: readonly string[], timeoutMs: number): Promise<readonly ArrayLike<number>[]>;
}

/** What embeds texts; null if nothing does. `local` is in this process, `url` is a service with OpenAI's embeddings API. */
export type EmbedderChoice =
  | { kind: 'local' }
  | { kind: 'remote'; url: string; model: string; key: string | null }
  | null;

/** The most numbers of a vector. */
export const MAX_DIMENSIONS = 4_096;

/** The most time for the vectors of phrases; later ones would be of no use to the request. */
export const PHRASES_MS = 2_000;
