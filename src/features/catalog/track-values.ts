export const TRACK_TYPES = ['music', 'sfx'] as const;

/** In the order of docs/contract/filters-and-suggestions.md#list-of-filters. */
export const FILTER_TYPES = ['genre', 'mood', 'use-case'] as const;

/** The members of a track that the analysis of its audio fills if they were not delivered. */
export const DETECTABLE = ['bpm', 'songKey'] as const;

/** The members that a delivery has in the same form as the API. */
export const DELIVERED_FIELDS = [
  'name',
  'type',
  'bpm',
  'songKey',
  'timeSignature',
  'durationSeconds',
  'region',
  'hasVocals',
  'isPRO',
  'tags',
  'isrc',
] as const;

export type DeliveredField = (typeof DELIVERED_FIELDS)[number];
