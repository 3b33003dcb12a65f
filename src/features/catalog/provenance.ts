import type { AiShare } from '../../engines/search/catalog-index.ts';

/** What of a track a machine may have made. */
export const AI_PARTS = [
  'vocals',
  'lyrics',
  'composition',
  'performance',
  'artwork',
  'mastering',
] as const;

/** What a supplier says of the making of a track, and of machines that learn from it. */
export interface Provenance {
  ai: AiShare;
  aiParts: readonly (typeof AI_PARTS)[number][];
  /** Null if that is unknown. */
  trainingAllowed: boolean | null;
  statement: string | null;
}

/** What counts for tracks of a source that say nothing; null where nobody says it. */
export interface SourceProvenance {
  ai: Exclude<AiShare, 'unknown'> | null;
  trainingAllowed: boolean | null;
}

/** Columns of a track. A supplier who says nothing leaves all of them null. */
export interface ProvenanceColumns {
  ai: AiShare | null;
  /** A JSON array. */
  aiParts: string | null;
  /** SQLite returns 0 or 1. */
  trainingAllowed: boolean | number | null;
  provenanceStatement: string | null;
}

export function provenanceColumns(provenance: Provenance | undefined): ProvenanceColumns {
  const { ai = 'unknown', aiParts = [], trainingAllowed = null } = provenance ?? {};
  return {
    ai: ai === 'unknown' ? null : ai,
    aiParts: aiParts.length === 0 ? null : JSON.stringify(aiParts),
    trainingAllowed,
    provenanceStatement: provenance?.statement ?? null,
  };
}

export function provenanceOf(columns: ProvenanceColumns): Provenance {
  return JSON.parse(provenanceJson(columns)) as Provenance;
}

/** Returns the JSON of `Provenance`. */
export function provenanceJson({
  ai,
  aiParts,
  trainingAllowed,
  provenanceStatement,
}: ProvenanceColumns): string {
  const allowed = trainingAllowed === null ? null : Boolean(trainingAllowed);
  return (
    `{"ai":"${ai ?? 'unknown'}","aiParts":${aiParts ?? '[]'},"trainingAllowed":${allowed},` +
    `"statement":${JSON.stringify(provenanceStatement)}}`
  );
}
