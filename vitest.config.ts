import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { Progress } from './test/harness/progress.ts';
import { RunReport } from './test/harness/run-report.ts';
import { POSTGRES_URL } from './test/harness/services.ts';

const { STAVE_TEST_REPORT: REPORT, STAVE_TEST_SEED: SEED } = process.env;

/** The black-box suite, which runs against both stores. */
const BLACK_BOX = [
  'src/api/**/*.endpoint.test.ts',
  'test/endpoints/**/*.test.ts',
  'test/cli/**/*.test.ts',
  'test/console/console-{actions,conflicts}.test.ts',
  'test/scenarios/**/*.test.ts',
];

/** What is not about the store, or about the files of the embedded one; one run is enough. */
const ONCE = [
  'test/cli/{backup,broken-folder,doctor,launch,mcp,media-in-bucket,migrate-store,misuse,serve-lifecycle,workers-lifecycle}*.test.ts',
  'src/api/media/media-s3-*.endpoint.test.ts',
  'test/endpoints/{docs,explorer,guides-in-browser,openapi}.test.ts',
  'test/scenarios/{agents-guide,browser-*,cluster,http-examples,index-snapshot,mirror-faults,postgres-*,readme,redis-unavailable,tasks-of-guides}.test.ts',
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
    // Files wait for databases, sockets and child processes for much of their time. By default, one core would be free.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // They only end what would hang: tests must pass on a machine that is busy with other work.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    reporters: ['default', new Progress(), ...(REPORT ? [new RunReport(REPORT)] : [])],
    setupFiles: SEED ? [join(import.meta.dirname, 'test/harness/fast-check-seed.ts')] : [],
    globalSetup: ['test/harness/left-out.ts', 'test/harness/built-explorer.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'embedded',
          include: ['{src,packages,test,bench,web}/**/*.test.ts'],
        },
      },
      ...(POSTGRES_URL === undefined ? [] : [postgres]),
    ],
  },
});
