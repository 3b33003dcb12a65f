import { defineConfig } from 'vitest/config';
import { POSTGRES_URL } from './test/harness/services.ts';

/** The black-box suite, which runs against both stores. */
const BLACK_BOX = [
  'test/endpoints/**/*.test.ts',
  'test/cli/**/*.test.ts',
  'test/scenarios/**/*.test.ts',
];

/** What is not about the store, or about the files of the embedded one; one run is enough. */
const ONCE = [
  'test/cli/{backup,broken-folder,doctor,media-in-bucket,migrate-store,misuse}.test.ts',
  'test/endpoints/{docs,openapi,media-s3-*}.test.ts',
  'test/scenarios/{browser-playback,cluster,http-examples,index-snapshot,postgres-*,readme,redis-away}.test.ts',
];

const postgres = {
  extends: true as const,
  test: {
    name: 'postgres',
    include: BLACK_BOX,
    exclude: ONCE,
    env: { STAVE_TEST_STORE: 'postgres' },
  },
};

export default defineConfig({
  test: {
    // Each file gets a process of its own: tests open real sockets, databases and child processes.
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: ['test/harness/left-out.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'embedded',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
        },
      },
      ...(POSTGRES_URL === undefined ? [] : [postgres]),
    ],
  },
});
