import { describe, expect, it } from 'vitest';
import { brokenBoundaries } from './boundaries.ts';
import { importsOf, sourceFiles } from './source.ts';

describe('the imports in src and packages', () => {
  it('follow the layers', () => {
    expect(brokenBoundaries(['src', 'packages'].flatMap(sourceFiles))).toEqual([]);
  });
});

describe('the guard of the layers', () => {
  const clock = { path: 'src/common/clock.ts', text: 'export const now = () => Date.now();' };

  it('reads all source files', () => {
    const paths = sourceFiles('src').map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['src/main.ts', 'src/app/config/config.ts']));
    expect(paths).toContain('src/common/errors.ts');
    expect(paths.some((path) => path.endsWith('.test.ts'))).toBe(false);
  });

  it.each([
    ['static', `import { a } from './a.ts';`],
    ['types', `import type { a } from './a.ts';`],
    ['several lines', `import {\n  a,\n  b,\n} from './a.ts';`],
    ['re-export', `export { a } from './a.ts';`],
    ['star', `export * from './a.ts';`],
    ['side effect', `import './a.ts';`],
    ['dynamic', `const a = await import('./a.ts');`],
    ['attributes', `import a from './a.ts' with { type: 'json' };`],
  ])('sees imports: %s', (_, text) => {
    expect(importsOf({ path: 'src/common/x.ts', text })).toEqual(['src/common/a.ts']);
  });

  it('ignores imports in comments', () => {
    const text = `// import a from './a.ts';\n/* import './b.ts'; */\nexport const c = 1;`;
    expect(importsOf({ path: 'src/common/x.ts', text })).toEqual([]);
  });

  it.each([
    ['src/common/x.ts', `import { a } from '../features/catalog/track.ts';`],
    ['src/engines/http/x.ts', `import { a } from '../../features/playlists/playlist.ts';`],
    ['src/engines/http/x.ts', `import { a } from '../../app/routes.ts';`],
    ['src/docs-site/openapi/x.ts', `import { a } from '../../app/routes.ts';`],
    ['src/app/service.ts', `import { a } from './workers/pool.ts';`],
    ['src/engines/search/x.ts', `import { a } from '../../features/catalog/track.ts';`],
    ['src/engines/sql/x.ts', `import { a } from '../../features/store.ts';`],
    ['src/docs-site/openapi/x.ts', `import type { a } from '../../features/licensing/quote.ts';`],
    ['src/operator/doctor/x.ts', `import { a } from '../../engines/sql/sqlite/database.ts';`],
    ['src/operator/backup/x.ts', `import { a } from '../../app/service.ts';`],
    ['src/features/tracks/x.ts', `import { a } from '../../app/open/open-sqlite.ts';`],
    ['src/features/tracks/x.ts', `import { a } from '../../app/service.ts';`],
    ['src/engines/sql/x.ts', `import { a } from '../../docs-site/openapi/openapi.ts';`],
    ['src/operator/cli/x.ts', `import { a } from '../../engines/http/server.ts';`],
    ['src/operator/cli/x.ts', `import { a } from '../../engines/sql/sqlite/database.ts';`],
    ['src/features/media/x.ts', `import send from '@fastify/send';`],
    ['src/app/service.ts', `import { fastify } from 'fastify';`],
    ['src/operator/cli/x.ts', `import { a } from '@stave/demo-catalog';`],
    ['src/features/demo/x.ts', `import { a } from '../../../packages/demo-catalog/src/album.ts';`],
    ['packages/demo-catalog/src/x.ts', `import { a } from '../../../src/common/ids.ts';`],
    ['src/operator/cli/x.ts', `const { DatabaseSync } = await import('node:sqlite');`],
    ['src/unheard-of/x.ts', `import { a } from '../common/ids.ts';`],
    ['src/features/tracks/x.ts', `import { a } from '../../../test/fixture.ts';`],
    ['src/features/tracks/x.ts', 'const level = process.env.STAVE_LOG_LEVEL;'],
    ['src/operator/cli/x.ts', 'process.exit(1);'],
    ['src/operator/cli/x.ts', 'process.exitCode = 1;'],
    ['src/features/tracks/x.ts', 'const at = Date.now();'],
    ['src/features/tracks/x.ts', 'const at = new Date();'],
    ['src/features/tracks/x.ts', 'enum Color { Red }'],
  ])('reports in %s: %s', (path, text) => {
    expect(brokenBoundaries([clock, { path, text }])).toHaveLength(1);
  });

  it('reports cycles', () => {
    const files = [
      { path: 'src/catalog/a.ts', text: `import { b } from './b.ts';` },
      { path: 'src/catalog/b.ts', text: `import type { c } from './c.ts';` },
      { path: 'src/catalog/c.ts', text: `export { a } from './a.ts';` },
    ];
    expect(brokenBoundaries(files)).toEqual([
      'circle: src/catalog/a.ts → src/catalog/b.ts → src/catalog/c.ts → src/catalog/a.ts',
    ]);
  });

  it('accepts valid imports', () => {
    const files = [
      clock,
      { path: 'src/engines/http/server.ts', text: `import { fastify } from 'fastify';` },
      { path: 'src/app/service.ts', text: `import { a } from './open/open-sqlite.ts';` },
      {
        path: 'src/features/tracks/x.ts',
        text: 'const at = new Date(clock.now()); // not new Date()',
      },
      { path: 'src/main.ts', text: 'process.exitCode = 1;' },
    ];
    expect(brokenBoundaries(files)).toEqual([]);
  });
});
