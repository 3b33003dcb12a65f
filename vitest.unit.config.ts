import { defineConfig } from 'vitest/config';

/** What needs PostgreSQL, Redis, S3, or the recordings beside the checkout. */
const NEEDS_SERVICES = [
  'src/storage/{postgres,redis,s3}/**',
  'src/maintenance/doctor/check-{catalog,redis}.test.ts',
  'src/import/run-real-data.test.ts',
  'src/media/renditions/real-audio.test.ts',
];

/** What runs the whole service, measures memory in processes of its own, or takes five seconds or more. */
const SLOW = [
  'src/api/**/*.endpoint.test.ts',
  'src/import/{bounds,bounds-mapping,xlsx-bounds}.test.ts',
  'src/import/audio/effects.test.ts',
  'src/media/renditions/{clip,rendition-thread}.test.ts',
  'src/demo/import-demo*.test.ts',
  'src/search/labels-together.test.ts',
  'src/common/shared-lock.test.ts',
  'packages/demo-catalog/src/render.test.ts',
  'test/harness/rerun-failed.test.ts',
];

/** `npm run test:unit`: the tests of single modules, without services. `npm test` runs these and all others. */
export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: ['test/harness/built-explorer.ts'],
    // By default, one core is left free.
    maxWorkers: '100%',
    include: ['{src,packages,web}/**/*.test.ts', 'test/{guards,harness}/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...NEEDS_SERVICES, ...SLOW],
    // The bounds end what hangs; see vitest.config.ts.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // `npm test` runs the long property tests a hundred times.
    env: { STAVE_TEST_RUNS: process.env.STAVE_TEST_RUNS ?? '10' },
  },
});
