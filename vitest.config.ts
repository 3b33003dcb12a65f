import { randomBytes } from 'node:crypto';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ALONE } from './test/harness/alone.ts';
import { folderInMemory } from './test/harness/folder-in-memory.ts';
import { canStartPostgres } from './test/harness/postgres-programs.ts';
import { Progress } from './test/harness/progress.ts';
import { RunReport } from './test/harness/run-report.ts';
import { POSTGRES_URL } from './test/harness/services.ts';
import { TestOrder } from './test/harness/test-order.ts';

const { env } = process;
/** The seed of the order of files, of property tests and of random times. Child processes inherit it. */
env.STAVE_TEST_SEED ??= randomBytes(4).toString('hex');
// Each test process loads hundreds of modules.
env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'stave-test-compile-cache');
env.TMPDIR ??= folderInMemory();

const DEEP = '{src,packages,test,bench,web}/**/*.deep.test.ts';

/** The contract suite and the black-box tests that depend on the database. */
const ON_POSTGRES = [
  'test/contract/**/*.test.ts',
  'src/features/{changes,collections,licensing,playlists,saved-searches,usage,webhooks}/routes/*.endpoint.test.ts',
  'src/features/access/routes/token*.endpoint.test.ts',
  'test/endpoints/{availability,collections*,guests,hidden-lists,languages,licens*,links*,most-licensed,playlists,saved-searches*,sessions*}.test.ts',
  'test/endpoints/{track-changes*,usage*,webhook-messages,webhook-secrets,webhooks}.test.ts',
  'test/cli/{licensing,playlists,tracks-and-log,usage-export,webhooks}.test.ts',
];

/** The same of tests that need a process of their own, and what kills processes beside the database. */
const ALONE_ON_POSTGRES = [
  'test/contract/webhook-rotation.test.ts',
  'test/endpoints/shared-changes.test.ts',
  'test/endpoints/{license-pdf,track-changes*,usage*,webhook-messages,webhook-secrets,webhooks}.deep.test.ts',
  'test/cli/{clients,import,track-operations*,upgrade,usage-purge,workers,workers-webhooks}.deep.test.ts',
  'test/scenarios/{feed,import-killed,licenses,log-expiry,mirror,revocation-under-load}.deep.test.ts',
  'test/scenarios/{webhook-takeover,webhooks}.deep.test.ts',
];

/** The projects `fast` and `alone` are `npm test`, the others are `npm run test:deep`. */
export default defineConfig({
  test: {
    pool: 'forks',
    // As every process of Stave; without it, each file of a process of its own would load 600 modules more.
    execArgv: ['--import', join(import.meta.dirname, 'bin/load-fast.mjs')],
    // Files wait for databases, sockets and child processes for much of their time. With fewer processes, cores would be free.
    maxWorkers: Math.ceil(availableParallelism() * 1.5) + 1,
    // Node runs the sources itself, as it does in production.
    experimental: { viteModuleRunner: false },
    // They only end what would hang: tests must pass on a machine that is busy with other work.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    reporters: [
      'default',
      ...(env.STAVE_TEST_REPORT ? [new RunReport(env.STAVE_TEST_REPORT)] : []),
      new Progress(env.STAVE_TEST_SEED),
    ],
    setupFiles: [join(import.meta.dirname, 'test/harness/fast-check-setup.ts')],
    globalSetup: ['test/harness/built-explorer.ts'],
    sequence: { sequencer: TestOrder },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['{src,packages,test,bench,web}/**/*.test.ts'],
          exclude: [DEEP, ...ALONE],
          // The files share a few processes, which load each module once. A random order shows what one leaves behind.
          isolate: false,
          // The deep tests run the long property tests more often.
          env: { STAVE_TEST_STORE: 'sqlite', STAVE_TEST_RUNS: env.STAVE_TEST_RUNS ?? '10' },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: [...ALONE], env: { STAVE_TEST_STORE: 'sqlite' } },
      },
      {
        extends: true,
        test: {
          name: 'deep',
          include: [DEEP],
          globalSetup: [
            'test/harness/own-postgres.ts',
            'test/harness/demo-folder.ts',
            'test/harness/left-out.ts',
          ],
        },
      },
      ...(POSTGRES_URL === undefined && !canStartPostgres
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: 'postgres',
                include: ON_POSTGRES,
                globalSetup: ['test/harness/own-postgres.ts'],
                // The project `deep` runs the deep tests of the contract on both databases, and the next one runs the others.
                exclude: [DEEP, ...ALONE],
                isolate: false,
                env: { STAVE_TEST_STORE: 'postgres' },
              },
            },
            {
              extends: true as const,
              test: {
                name: 'postgres-alone',
                include: ALONE_ON_POSTGRES,
                globalSetup: ['test/harness/own-postgres.ts'],
                env: { STAVE_TEST_STORE: 'postgres' },
              },
            },
          ]),
    ],
  },
});
