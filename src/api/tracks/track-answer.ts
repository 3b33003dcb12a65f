import type { Caller } from '../../access/caller.ts';
import type { LiveCatalog } from '../../catalog/live-catalog.ts';
import { pageOrDefault } from '../schemas/page.ts';
import type { Enveloped, TrackPages } from './track-page.ts';
import { catalogQuery, type TrackQuestion } from './track-question.ts';

/** What answering a question to the catalog takes. */
export interface TrackSources {
  catalog: Pick<LiveCatalog, 'search'>;
  pages: Pick<TrackPages, 'page'>;
}

/** One page of the tracks that match; synchronous while their documents are in memory. */
export function answerTracks(
  { catalog, pages }: TrackSources,
  question: TrackQuestion,
  caller: Caller,
): Enveloped | Promise<Enveloped> {
  const { page, pageSize } = pageOrDefault(question);
  const found = catalog.search(catalogQuery(question), (page - 1) * pageSize, pageSize);
  return pages.page({ totalRecords: found.total, page, pageSize }, found.ids, caller);
}
