import type { VocabularySource } from '../catalog/live/live-catalog.ts';
import {
  MAX_CONCEPTS,
  type Meaning,
  type UnderstandOptions,
  type Understood,
  type UnderstoodBrief,
  type Vocabulary,
} from './brief.ts';
import { type BriefRanking, type RankedPart, rankingOf } from './brief-ranking.ts';
import type { EmbeddingsState, Meanings, Terms } from './embeddings/meanings.ts';
import type { NearTerm } from './embeddings/near-terms.ts';
import type { LiveSynonyms } from './live-synonyms.ts';
import { meaningOfTerm, termsOf } from './meant-terms.ts';
import { understand } from './understand.ts';
import { LiveVocabulary } from './vocabulary.ts';
import { isEnglish } from './words.ts';

export interface ReadBrief extends Pick<UnderstoodBrief, 'understood' | 'ignored'> {
  embeddings: EmbeddingsState;
  /** Undefined if no track matches. */
  ranking: BriefRanking | undefined;
}

interface BriefsNeeds {
  catalog: { readonly vocabulary: VocabularySource; readonly version: number };
  synonyms: Pick<LiveSynonyms, 'current' | 'version'>;
  meanings: Pick<Meanings, 'near' | 'isEnglish' | 'prepare'>;
}

/** Understands briefs by rules and the vocabulary of a live catalog, and what is left of them by meaning. */
export class Briefs {
  readonly #needs: BriefsNeeds;
  readonly #vocabulary: LiveVocabulary;
  #terms: { version: string; terms: Terms } | undefined;

  constructor(needs: BriefsNeeds) {
    this.#needs = needs;
    this.#vocabulary = new LiveVocabulary(
      () => needs.catalog.vocabulary,
      () => needs.synonyms.current,
    );
  }

  /** Increased by each change of the synonyms. */
  get version(): number {
    return this.#needs.synonyms.version;
  }

  /** Prepares what briefs are compared with by meaning. Never rejects. */
  prepare(): Promise<void> {
    return this.#needs.meanings.prepare(() => this.#currentTerms());
  }

  async read(brief: string, options: UnderstandOptions): Promise<ReadBrief> {
    const vocabulary = await this.#vocabulary.current();
    const { understood, ignored, phrases: left } = understand(brief, vocabulary, options);
    const phrases = this.#needs.meanings.isEnglish
      ? left.filter((phrase) => isEnglish(phrase) ?? isEnglish(brief) ?? true)
      : left;
    const { state, near } = await this.#needs.meanings.near(phrases, () => this.#currentTerms());
    const parts = [
      ...understood.map((part): RankedPart => ({ ...part, words: [part.value ?? part.text] })),
      ...meantParts(phrases, near, { vocabulary, understood }),
    ].slice(0, MAX_CONCEPTS);
    const meant = new Set(parts.slice(understood.length).map(({ text }) => text));
    return {
      understood: parts,
      ignored: ignored.filter((text) => !meant.has(text)),
      embeddings: state,
      ranking: rankingOf(parts),
    };
  }

  /** Made again after a change of the catalog. */
  #currentTerms(): Terms {
    const { catalog, synonyms, meanings } = this.#needs;
    const version = `${catalog.version} ${synonyms.version}`;
    if (this.#terms?.version !== version) {
      const terms = termsOf(catalog.vocabulary, synonyms.current, meanings.isEnglish);
      this.#terms = { version, terms };
    }
    return this.#terms.terms;
  }
}

/** The most terms of a phrase: further ones are vaguer, and would together outweigh what rules understood. */
function maxTerms(understood: readonly Understood[]): number {
  const weight = understood
    .filter(({ kind }) => kind === 'filter' || kind === 'tag' || kind === 'artist')
    .reduce((sum, part) => sum + part.weight, 0);
  if (weight === 0) return 5;
  return weight < 1 ? 2 : 1;
}

/** The terms that mean nearly the same as phrases, the most similar first. What has the same meaning counts once. */
function meantParts(
  phrases: readonly string[],
  near: readonly (readonly NearTerm[])[],
  { vocabulary, understood }: { vocabulary: Vocabulary; understood: readonly Understood[] },
): RankedPart[] {
  const idOf = ({ filters, tags }: Meaning) =>
    JSON.stringify([filters.map(({ id }) => id), tags.toSorted()]);
  const seen = new Set(
    understood.flatMap(({ kind, meaning, value }) => {
      if (kind === 'filter' || kind === 'tag') return [idOf(meaning)];
      // `an empty house` is a phrase with this word, and still no house music.
      const literal = kind === 'word' ? meaningOfTerm(value!, vocabulary) : undefined;
      return literal === undefined ? [] : [idOf(literal)];
    }),
  );
  const most = maxTerms(understood);
  const counts = new Map<string, number>();
  return near
    .flatMap((terms, i) => terms.map((term) => ({ ...term, text: phrases[i]! })))
    .sort((a, b) => b.similarity - a.similarity)
    .flatMap(({ text, term, similarity }) => {
      const meaning = meaningOfTerm(term, vocabulary);
      const count = counts.get(text) ?? 0;
      if (meaning === undefined || seen.has(idOf(meaning)) || count === most) return [];
      seen.add(idOf(meaning));
      counts.set(text, count + 1);
      return [meantPart(text, term, similarity, meaning)];
    });
}

function meantPart(text: string, term: string, weight: number, meaning: Meaning): RankedPart {
  const filter = meaning.filters[0]?.slug;
  const tag = meaning.tags[0];
  const shown: Pick<Understood, 'kind' | 'filter' | 'tag'> = {
    kind: filter === undefined ? 'tag' : 'filter',
    ...(filter !== undefined && { filter }),
    ...(tag !== undefined && { tag }),
  };
  return { text, ...shown, weight, hard: false, meaning, words: [term] };
}
