/**
 * Tests that change the process they run in: they replace the clock, a module or a global function, or measure the
 * memory. Each of these files has a process of its own; the other fast tests share a few.
 */
export const ALONE: readonly string[] = [
  'packages/sdk/src/access-tokens.test.ts',
  'packages/sdk/src/requests.test.ts',
  'packages/sdk/src/webhooks.test.ts',
  'src/engines/change-log/follower-health.test.ts',
  'src/common/work/periodic-tasks.test.ts',
  'src/engines/http/input/form-body.test.ts',
  'src/engines/http/guard/overload.test.ts',
  'src/engines/http/route/together.test.ts',
  'src/engines/http/input/query.test.ts',
  'src/engines/http/input/schema/schema-check.test.ts',
  'src/app/indexing/document-copies.test.ts',
  'src/features/catalog/store/disk/document-writer.test.ts',
  'src/features/media/artwork/drawing-thread.test.ts',
  'src/engines/audio/aiff-reader.test.ts',
  'src/engines/audio/wav-reader.test.ts',
  'src/app/query-plans/sqlite/client-query-plans.test.ts',
  'src/app/query-plans/sqlite/query-plans.test.ts',
  'src/app/query-plans/sqlite/usage-query-plans.test.ts',
  'src/app/query-plans/sqlite/webhook-query-plans.test.ts',
  'test/contract/webhook-rotation.test.ts',
  'test/endpoints/compression.test.ts',
  'test/endpoints/shared-changes.test.ts',
];
