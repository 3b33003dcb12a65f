import { sql } from 'kysely';
import type { AiShare } from '../../../engines/search/catalog-index.ts';

/** The conditions for tracks that say nothing of a member of the default of their source. SQL of both databases, as below. */
export const SAYS_NOTHING = {
  ai: 'tracks.ai IS NULL AND tracks.ai_parts IS NULL',
  trainingAllowed: 'tracks.training_allowed IS NULL',
};

const ofSource = (column: string) =>
  `(SELECT ${column} FROM source_provenance WHERE source = tracks.source)`;

/** The provenance of a row of `tracks`: what its supplier says, or else the default of its source. */
export const SHOWN_AI = `CASE WHEN ${SAYS_NOTHING.ai} THEN ${ofSource('ai')} ELSE tracks.ai END`;
export const SHOWN_TRAINING = `coalesce(tracks.training_allowed, ${ofSource('training_allowed')})`;

/** The columns of `ProvenanceColumns` as partners see them, for a query of `tracks`. */
export const SHOWN_PROVENANCE = [
  sql<AiShare | null>`${sql.raw(SHOWN_AI)}`.as('ai'),
  'tracks.aiParts',
  sql<boolean | number | null>`${sql.raw(SHOWN_TRAINING)}`.as('trainingAllowed'),
  'tracks.provenanceStatement',
] as const;
