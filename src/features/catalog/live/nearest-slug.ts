import { isUuid } from '../../../common/ids.ts';
import { nearest } from '../../../common/text/explain.ts';
import { parseDocument } from '../track-document.ts';
import type { LiveCatalog } from './live-catalog.ts';

const COMPARED = 10;

/**
 * Returns the slug of a live track that an unknown one may mean, for error messages; undefined if none is near, and for
 * ids. The search forgives one or two typos in each word.
 */
export async function nearestSlug(
  unknown: string,
  catalog: Pick<LiveCatalog, 'search' | 'documents'>,
): Promise<string | undefined> {
  if (isUuid(unknown)) return undefined;
  const text = unknown.replaceAll('-', ' ');
  const { rowIds } = catalog.search({ text }, { offset: 0, limit: COMPARED });
  const documents = await catalog.documents(rowIds);
  const slugs = documents.flatMap((one) => (one === undefined ? [] : [parseDocument(one).slug]));
  return nearest(unknown, slugs);
}
