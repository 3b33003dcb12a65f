/** In the order of the master list (specification, Filter). */
export const FILTER_TYPES = ['genre', 'mood', 'use-case'] as const;
/** What a filter says of a track. */
export type FilterType = (typeof FILTER_TYPES)[number];

/** Something tracks are tagged with. Slugs are unique among filters of all types together. */
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
