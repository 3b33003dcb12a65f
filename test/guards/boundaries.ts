import { importsOf, type SourceFile, withoutComments } from './source.ts';

const DOMAIN = ['common', 'changes', 'access', 'catalog', 'licensing'];
const ENGINE = [...DOMAIN, 'search', 'media', 'import'];
const HTTP = ['http', 'openapi', 'api'];
const STORE = [
  'features/store.ts',
  'engines/sql/setting-store.ts',
  'engines/sql/store-location.ts',
];

/**
 * The allowed imports (ARCHITECTURE.md, Layers). The key is a folder of `src/`, a file in it, or a package of this
 * repository. The value lists the folders and files that it may import in addition to itself. The longest key that
 * matches a path counts.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  common: ['package.json'],
  net: ['common'],
  changes: ['common'],
  'changes/webhooks': ['common', 'changes', 'access', 'catalog'],
  access: ['common', 'changes', 'engines/http/route/request-counter.ts'],
  catalog: ['common', 'changes', 'access'],
  licensing: ['common', 'changes', 'access', 'catalog'],
  search: DOMAIN,
  media: DOMAIN,
  // An import gets all ports of the domain.
  import: [...DOMAIN, 'media', ...STORE],
  storage: [...DOMAIN, 'media', 'search'],
  indexing: [...DOMAIN, 'search', ...STORE, 'app/open/open-store.ts'],
  http: ['common', 'access', ...STORE],
  openapi: ['common', 'access', 'http'],
  api: [...ENGINE, 'net', 'http', 'openapi', 'app/config/config.ts', ...STORE],
  demo: [...ENGINE, ...STORE],
  'maintenance/backup': [
    ...ENGINE,
    ...STORE,
    'app/open/context.ts',
    'app/open/data-folder.ts',
    'app/open/data-folder-lock.ts',
    'engines/sql/sqlite/folder-lock.ts',
  ],
  'maintenance/migrate-store': [...DOMAIN, ...STORE, 'engines/sql/copied-tables.ts'],
  'maintenance/imports': [...DOMAIN, 'media', 'import', ...STORE],
  'maintenance/changes': [...DOMAIN, ...STORE],
  'maintenance/tracks': [...DOMAIN, 'media', ...STORE],
  'maintenance/upgrade': ['common', 'engines/sql/schema-inspection.ts'],
  'maintenance/doctor': [
    ...ENGINE,
    ...STORE,
    'engines/sql/schema-inspection.ts',
    'engines/limits/redis/connection.ts',
    'engines/limits/redis/server-version.ts',
    'app/open/context.ts',
    'app/config/config.ts',
    'app/open/data-folder.ts',
    'engines/sql/sqlite/folder-lock.ts',
  ],
  'app/config/config.ts': [
    'common',
    'app/config/setting.ts',
    'app/config/settings.ts',
    'app/config/setting-values.ts',
  ],
  'app/open/data-folder.ts': [],
  'app/config/connection-limits.ts': ['common', 'app/config/config.ts'],
  'app/open/data-folder-lock.ts': [
    'common',
    'engines/sql/sqlite/folder-lock.ts',
    'app/config/config.ts',
    'app/open/data-folder.ts',
    'app/open/open-store.ts',
  ],
  'app/listen.ts': ['common', ...HTTP, 'app/config/config.ts'],
  'features/availability/work/availability.ts': [
    'common',
    'catalog',
    'engines/http/metrics/metrics.ts',
    ...STORE,
    'engines/tasks/leased-tasks.ts',
  ],
  'features/changes/work/change-log-retention.ts': [
    'common',
    'catalog',
    'changes',
    ...STORE,
    'engines/tasks/leased-tasks.ts',
  ],
  'app/housekeeping.ts': ['common', ...STORE, 'engines/tasks/leased-tasks.ts'],
  'app/node-sign.ts': ['common', 'app/open/context.ts'],
  'engines/tasks/leased-tasks.ts': ['common', ...STORE],
  'features/renditions/work/build-renditions.ts': [
    ...ENGINE,
    'app/open/context.ts',
    'features/renditions/work/renditions.ts',
  ],
  'features/renditions/work/renditions.ts': [
    ...ENGINE,
    'engines/http/metrics/metrics.ts',
    'app/open/context.ts',
    'app/open/data-folder.ts',
  ],
  'app/webhooks': [
    'common',
    'changes',
    'net',
    'engines/http/metrics/metrics.ts',
    ...STORE,
    'engines/tasks/leased-tasks.ts',
    'app/open/open-store.ts',
  ],
  'app/import-demo-once.ts': ['access', 'common', 'demo', 'app/open/context.ts'],
  'app/listeners.ts': ['http', 'app/open/context.ts', 'app/listen.ts'],
  // Calls what the commands call, and shows the results as pages.
  console: [
    ...ENGINE,
    'http',
    'maintenance',
    ...STORE,
    'engines/sql/schema-inspection.ts',
    'app/config/config.ts',
    'app/open/context.ts',
    'app/open/data-folder.ts',
    'app/open/logger.ts',
    'app/open/open-store.ts',
  ],
  'app/open/logger.ts': ['common', 'app/config/setting-values.ts'],
  // The views are filled from the store, and one of them is the index.
  'app/views.ts': [...ENGINE, 'indexing', ...STORE, 'app/open/context.ts'],
  'app/background-work.ts': [
    ...ENGINE,
    'api/saved-searches',
    'engines/http/metrics/metrics.ts',
    'engines/http/route/request-counter.ts',
    'features/availability/work/availability.ts',
    'features/changes/work/change-log-retention.ts',
    'app/open/context.ts',
    'app/housekeeping.ts',
    'app/node-sign.ts',
    'app/open/open-store.ts',
    'features/renditions/work/renditions.ts',
    'app/views.ts',
    'app/webhooks',
  ],
  'features/licensing/work/licensing-metrics.ts': ['access', 'api', 'common', 'licensing', 'http'],
  'app/metrics/service-metrics.ts': [
    'access',
    'licensing',
    'api',
    'http',
    'app/open/context.ts',
    'app/views.ts',
  ],
  'app/config/setting-values.ts': ['common', 'features/languages/languages.ts'],
  'app/config/settings.ts': [
    'app/config/mcp-settings.ts',
    'app/config/setting.ts',
    'app/config/setting-values.ts',
  ],
  'app/config/mcp-settings.ts': ['app/config/setting.ts', 'app/config/setting-values.ts'],
  'app/config/setting.ts': [],
  // Starts several services as one, and gives each the data that it shares with the others.
  'app/worker-context.ts': [...ENGINE, ...HTTP, 'indexing'],
  'app/workers': [
    ...ENGINE,
    ...HTTP,
    'indexing',
    'app/config/config.ts',
    'app/config/connection-limits.ts',
    'app/open/context.ts',
    'app/listen.ts',
    'app/listeners.ts',
    'app/open/logger.ts',
    'app/open/open-store.ts',
    'app/service.ts',
    'app/worker-context.ts',
  ],
  // A client of the API, apart from the service, with the same bounds of connections.
  mcp: ['common', 'features/access/secret.ts', 'http/connection', 'packages/sdk'],
  cli: [
    ...ENGINE,
    'operator/console/server/start.ts',
    'demo',
    'maintenance',
    'mcp',
    ...STORE,
    'engines/sql/schema-inspection.ts',
    'app',
  ],
  'main.ts': ['bin', 'cli', 'app/config/config.ts', 'common'],
  // Neither depends on the service.
  'packages/demo-catalog': [],
  'packages/sdk': [],
};

/** The only files that choose adapters: they open the store and the catalog, index it, and serve it. */
const COMPOSITION_ROOTS = [
  'app/open/open-store.ts',
  'app/open/context.ts',
  'app/service.ts',
  'app/shared-limiter.ts',
  'app/indexing/index-thread.ts',
  'app/indexing/document-thread.ts',
];

/** Operations that only some files may do, with the reason that the guard reports. */
const RESERVED: readonly { pattern: RegExp; allowed: RegExp; reason: string }[] = [
  {
    pattern: /\bprocess\.env\b|\benv\b[^;]*\bfrom 'node:process'/,
    allowed: /^src\/app\/config\.ts$/,
    reason: 'only config.ts reads the environment',
  },
  {
    pattern: /\bprocess\.(?:exit|exitCode|abort|reallyExit)\b/,
    allowed: /^src\/main\.ts$/,
    reason: 'only main.ts ends the process',
  },
  {
    // The thread of renditions ends the ffmpeg that it started, and the console ends the processes of its jobs with the
    // readers that they started. They would outlive it.
    pattern: /\bprocess\.kill\b/,
    allowed:
      /^src\/(?:main|media\/renditions\/rendition-thread|console\/jobs\/(?:jobs|job-process))\.ts$/,
    reason: 'only main.ts ends the process, and no other one is sent signals',
  },
  {
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)/,
    // The client library runs in partners' programs, which have no clock of Stave.
    allowed: /^src\/common\/clock\.ts$|^packages\/sdk\//,
    reason: 'only the clock reads the time',
  },
  {
    pattern: /\benum\s+\w+\s*\{|\bnamespace\s+\w+\s*\{/,
    allowed: /^$/,
    reason: 'erasable syntax only',
  },
];

/** Packages that only one layer may import, by the start of their name. */
const PACKAGES: readonly { name: RegExp; allowed: RegExp }[] = [
  { name: /^(?:@?fastify|@scalar)(?:\/|$)/, allowed: /^src\/(?:http|openapi|api|console)\// },
  { name: /^node:sqlite$/, allowed: /^src\/storage\/sqlite\// },
  { name: /^pg(?:-|$)/, allowed: /^src\/storage\/postgres\// },
  { name: /^@?redis(?:\/|$)/, allowed: /^src\/storage\/redis\// },
  { name: /^@modelcontextprotocol\//, allowed: /^src\/mcp\// },
  { name: /^commander$/, allowed: /^src\/cli\// },
  { name: /^jose(?:\/|$)/, allowed: /^src\/access\// },
  { name: /^@(?:aws-sdk|smithy)\//, allowed: /^src\/storage\/s3\// },
  { name: /^ipaddr\.js$/, allowed: /^src\/net\// },
  { name: /^pino$/, allowed: /^src\/app\/logger\.ts$/ },
  { name: /^@stave\/demo-catalog$/, allowed: /^src\/demo\// },
];

/** Every violation of the layers in the files of `src/` and `packages/`, one line each. */
export function brokenBoundaries(files: readonly SourceFile[]): string[] {
  return [
    ...files.flatMap(forbiddenImports),
    ...files.flatMap(reservedOperations),
    ...cycles(files),
  ];
}

function forbiddenImports(file: SourceFile): string[] {
  const from = layerOf(file.path);
  const broken: string[] = [];
  for (const target of importsOf(file)) {
    const reserved = PACKAGES.find(({ name }) => name.test(target));
    if (reserved !== undefined && !reserved.allowed.test(file.path)) {
      broken.push(`${file.path} imports ${target}, which is for ${reserved.allowed.source}`);
    }
    if (!isOurs(target) || isComposition(from, target) || mayImport(from, target)) {
      continue;
    }
    broken.push(`${file.path} imports ${target}, which ${from} may not`);
  }
  return broken;
}

function reservedOperations({ path, text }: SourceFile): string[] {
  const code = withoutComments(text);
  return RESERVED.filter(({ pattern, allowed }) => pattern.test(code) && !allowed.test(path)).map(
    ({ reason }) => `${path}: ${reason}`,
  );
}

/** Files that import one another in a cycle. Imports of types count, too. */
function cycles(files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file).filter(isOurs)]));
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      found.push(`circle: ${[...trail.slice(start), path].join(' → ')}`);
      return;
    }
    if (done.has(path)) {
      return;
    }
    for (const target of imports.get(path) ?? []) {
      visit(target, [...trail, path]);
    }
    done.add(path);
  };
  for (const path of imports.keys()) {
    visit(path, []);
  }
  return found;
}

/** A composition root may import any layer except the workers, which start services. */
function isComposition(from: string, target: string): boolean {
  return COMPOSITION_ROOTS.includes(from) && !target.startsWith('src/app/workers/');
}

function mayImport(from: string, target: string): boolean {
  const path = target.replace(/^src\//, '');
  return [from, ...(MAY_IMPORT[from] ?? [])].some(
    (allowed) => path === allowed || path.startsWith(`${allowed}/`),
  );
}

/** The longest key of the layers that matches a path of `src/`; otherwise its folder or name. */
function layerOf(path: string): string {
  const inSource = path.replace(/^src\//, '');
  const entries = [...Object.keys(MAY_IMPORT), ...COMPOSITION_ROOTS]
    .filter((entry) => inSource === entry || inSource.startsWith(`${entry}/`))
    .sort((a, b) => b.length - a.length);
  return entries[0] ?? inSource.split('/')[0]!;
}

function isOurs(target: string): boolean {
  return /^(?:src|packages|test|bench|scripts|examples)\/|^package\.json$|^\.\./.test(target);
}
