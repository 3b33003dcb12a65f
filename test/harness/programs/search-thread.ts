import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type {
  IndexPage,
  IndexQuery,
  PageRequest,
} from '../../../src/engines/search/catalog-index.ts';
import {
  SegmentedIndex,
  type SegmentedIndexOptions,
} from '../../../src/engines/search/segmented-index.ts';
import type { SegmentColumns } from '../../../src/engines/search/segments/columns.ts';
import { Segment } from '../../../src/engines/search/segments/segment.ts';

/** The work of a thread: search the segment without some tracks, repeatedly. */
export interface SearchWork {
  columns: SegmentColumns;
  gone: readonly string[];
  queries: readonly IndexQuery[];
  page: PageRequest;
  options: SegmentedIndexOptions;
  times: number;
}

if (!isMainThread) {
  const { columns, gone, queries, page, options, times } = workerData as SearchWork;
  const index = new SegmentedIndex(new Segment(columns), options);
  await index.apply([], gone, 1);
  /** For each query, every page that was found, as JSON: one page if the results are equal. */
  const found = queries.map(() => new Set<string>());
  for (let i = 0; i < times; i++) {
    for (const [q, query] of queries.entries()) {
      found[q]!.add(JSON.stringify(index.search(query, page) satisfies IndexPage));
    }
  }
  parentPort!.postMessage(found.map((pages) => [...pages]));
}
