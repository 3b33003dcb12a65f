import type { Caller } from '../../access/caller.ts';
import type { LiveCatalog } from '../../catalog/live-catalog.ts';
import { pageOrDefault } from '../schemas/page.ts';
import { facetsJson } from './track-facets.ts';
import type { Enveloped, TrackPages } from './track-page.ts';
import { catalogQuery, requestedPage, type TrackQuestion } from './track-question.ts';

/** What answering a question to the catalog takes. */
export interface TrackSources {
  catalog: Pick<LiveCatalog, 'search' | 'filters'>;
  pages: Pick<TrackPages, 'page'>;
}

/** One page of the tracks that match; synchronous while their documents are in memory. */
export function answerTracks(
  { catalog, pages }: TrackSources,
  question: TrackQuestion,
  caller: Caller,
): Enveloped | Promise<Enveloped> {
  const { page, pageSize } = pageOrDefault(question);
  const { total, tracks, facets } = catalog.search(
    catalogQuery(question),
    requestedPage(question, caller.mode),
  );
  const frame = {
    totalRecords: total,
    page,
    pageSize,
    facets: facets && facetsJson(facets, catalog.filters()),
  };
  return pages.page(frame, tracks, caller);
}
