import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  brokenRooms,
  ENGINES,
  EXCEPTIONS,
  FEATURES,
  MOST_FILES,
  placeOf,
  valuesOnly,
} from './rooms.ts';
import { importsOf, ROOT, repositoryFiles, sourceFiles } from './source.ts';

const files = sourceFiles('src');
const imports = files.flatMap((file) => importsOf(file).map((to) => ({ from: file, to })));

describe('the rooms of src', () => {
  it('import only what they may', () => {
    expect(brokenRooms(files)).toEqual([]);
  });

  it.each([
    ['engines', ENGINES],
    ['features', FEATURES],
  ])('have an order of %s, whose dependencies are used', (room, dependencies) => {
    const names = Object.keys(dependencies);
    expect([...readdirSync(`${ROOT}/src/${room}`)].sort()).toEqual([...names].sort());
    const used = new Set<string>();
    for (const { from, to } of imports) {
      const [a, b] = [placeOf(from.path), placeOf(to)];
      if (a.room === room && b.room === room) used.add(`${a.name} → ${b.name}`);
    }
    for (const [name, needed] of Object.entries(dependencies)) {
      for (const other of needed) {
        expect(names.indexOf(other), `${name} comes after ${other}`).toBeLessThan(
          names.indexOf(name),
        );
        expect(used).toContain(`${name} → ${other}`);
      }
    }
  });

  it('have only the exceptions that are needed', () => {
    const unused = EXCEPTIONS.filter(
      (one) => !imports.some(({ from, to }) => one.from.test(from.path) && one.to.test(to)),
    );
    expect(unused).toEqual([]);
  });

  it('have exceptions for types only where they say so', () => {
    const broken = files.flatMap(({ path, text }) =>
      EXCEPTIONS.filter(({ from, reason }) => from.test(path) && reason.endsWith('types only'))
        // Imports of values: those that are not `import type`.
        .flatMap(({ to }) => {
          return importsOf(valuesOnly({ path, text })).filter((target) => to.test(target));
        })
        .map((target) => `${path} imports values of ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it(`have at most ${MOST_FILES} files in a folder, without tests`, () => {
    const counts = new Map<string, number>();
    for (const path of repositoryFiles('src')) {
      if (/\.(?:test|test-support)\.ts$/.test(path)) continue;
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
  });
});

describe('the guard of the rooms', () => {
  it.each([
    ['src/features/licensing/x.ts', './store/licenses.ts'],
    ['src/features/licensing/x.ts', '../access/store/clients.ts'],
    ['src/operator/cli/x.ts', '../../features/access/store/clients.ts'],
  ])('accepts a type in %s: %s', (path, specifier) => {
    const text = `import type { Store } from '${specifier}';`;
    expect(brokenRooms([{ path, text }])).toEqual([]);
    expect(brokenRooms([{ path, text: text.replace(' type', '') }])).toHaveLength(1);
  });

  it('reports a type of a store of a feature that may not be imported', () => {
    const text = "import type { Store } from '../usage/store/usage.ts';";
    expect(brokenRooms([{ path: 'src/features/access/x.ts', text }])).toHaveLength(1);
  });

  it.each([
    ['src/common/x.ts', '../engines/sql/database.ts'],
    ['src/engines/search/x.ts', '../../features/catalog/track.ts'],
    ['src/engines/sql/x.ts', '../../features/catalog/batches.ts'],
    ['src/engines/blobs/x.ts', '../http/server.ts'],
    ['src/engines/http/x.ts', '../sql/database.ts'],
    ['src/features/catalog/x.ts', './store/references.ts'],
    ['src/features/catalog/x.ts', '../../engines/sql/database.ts'],
    ['src/features/licensing/x.ts', './routes/create-license.ts'],
    ['src/features/licensing/x.ts', '../../engines/http/route/route.ts'],
    ['src/features/licensing/pdf/x.ts', '../store/license-rows.ts'],
    ['src/features/licensing/store/x.ts', '../routes/create-license.ts'],
    ['src/features/webhooks/routes/x.ts', '../work/send-messages.ts'],
    ['src/features/webhooks/x.ts', '../saved-searches/saved-search.ts'],
    ['src/features/webhooks/work/x.ts', '../../../app/open/open-store.ts'],
    ['src/features/demo/x.ts', '../../operator/cli/shell.ts'],
    ['src/features/access/x.ts', '../../docs-site/openapi/openapi.ts'],
    ['src/app/x.ts', '../operator/console/server/start.ts'],
    ['src/mcp/x.ts', '../app/config/config.ts'],
    ['src/operator/cli/x.ts', '../../features/catalog/store/references.ts'],
    ['src/docs-site/pages/x.ts', '../../features/access/routes/me-route.ts'],
    ['src/unheard-of/x.ts', '../common/ids.ts'],
  ])('reports in %s: %s', (path, specifier) => {
    expect(brokenRooms([{ path, text: `import { a } from '${specifier}';` }])).toHaveLength(1);
  });

  it.each([
    ['src/features/webhooks/store/x.ts', '../webhook.ts'],
    ['src/features/webhooks/store/x.ts', '../../../engines/sql/database.ts'],
    ['src/features/webhooks/routes/x.ts', '../../catalog/store/track-row.ts'],
    ['src/features/webhooks/work/x.ts', '../../../engines/http/metrics/metrics.ts'],
    ['src/operator/cli/x.ts', '../../app/service.ts'],
    ['src/main.ts', './operator/cli/program.ts'],
  ])('accepts in %s: %s', (path, specifier) => {
    expect(brokenRooms([{ path, text: `import { a } from '${specifier}';` }])).toEqual([]);
  });
});
