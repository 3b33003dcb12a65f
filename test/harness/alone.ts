/**
 * Tests that change the process they run in: they replace the clock, a module or a global function, or measure the
 * memory. Each of these files has a process of its own; the other fast tests share a few.
 */
export const ALONE: readonly string[] = [
  'packages/sdk/src/requests.test.ts',
  'packages/sdk/src/webhooks.test.ts',
  'src/changes/follower-health.test.ts',
  'src/common/work/periodic-tasks.test.ts',
  'src/http/form-body.test.ts',
  'src/http/overload.test.ts',
  'src/http/query.test.ts',
  'src/http/schema-check.test.ts',
  'src/indexing/document-copies.test.ts',
  'src/media/artwork/drawing-thread.test.ts',
  'src/media/renditions/aiff-reader.test.ts',
  'src/media/renditions/wav-reader.test.ts',
  'src/storage/sqlite/client-query-plans.test.ts',
  'src/storage/sqlite/query-plans.test.ts',
  'src/storage/sqlite/usage-query-plans.test.ts',
  'src/storage/sqlite/webhook-query-plans.test.ts',
  'test/contract/webhook-rotation.test.ts',
  'test/endpoints/compression.test.ts',
  'test/endpoints/shared-changes.test.ts',
];
