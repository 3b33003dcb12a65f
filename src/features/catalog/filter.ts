import type { FILTER_TYPES } from './track-fields.ts';

/** The type of a filter. */
export type FilterType = (typeof FILTER_TYPES)[number];

/** A genre, a mood or a use-case that tracks carry. Slugs are unique among the filters of all types. */
export interface Filter {
  id: string;
  name: string;
  slug: string;
  type: FilterType;
}

/** A filter with the number of live tracks that carry it. */
export interface CountedFilter extends Filter {
  trackCount: number;
}

/** The completions of a text that is being typed. */
export interface Completions {
  filters: CountedFilter[];
  /** Names of tracks. */
  names: string[];
}
