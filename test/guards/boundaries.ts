import { importsOf, type SourceFile, withoutComments } from './source.ts';

const DOMAIN = ['kernel', 'catalog', 'access', 'licensing', 'changes'];
const ENGINE = [...DOMAIN, 'search', 'media', 'import'];

/**
 * Who may import whom (ARCHITECTURE.md, Layers): a folder of `src/`, or a file in it, and the folders and
 * files it may import from beside itself.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  kernel: ['package.json'],
  catalog: DOMAIN,
  access: DOMAIN,
  licensing: DOMAIN,
  changes: DOMAIN,
  search: DOMAIN,
  media: DOMAIN,
  // The domain's ports all together, which is what an import is given.
  import: [...DOMAIN, 'media', 'storage/store.ts'],
  api: [...ENGINE, 'config.ts', 'storage/store.ts'],
  storage: [...DOMAIN, 'media', 'search'],
  demo: [...ENGINE, 'storage/store.ts'],
  backup: [...ENGINE, 'storage/store.ts', 'house.ts', 'data-folder.ts'],
  'migrate-store': [...DOMAIN, 'storage/store.ts', 'storage/tables.ts'],
  doctor: [
    ...ENGINE,
    'storage/store.ts',
    'storage/redis/connection.ts',
    'storage/redis/server-version.ts',
    'house.ts',
    'config.ts',
    'data-folder.ts',
  ],
  cli: [
    ...ENGINE,
    'demo',
    'backup',
    'migrate-store',
    'doctor',
    'storage/store.ts',
    'open-store.ts',
    'house.ts',
    'service.ts',
    'workers',
    'config.ts',
    'data-folder.ts',
    'settings.ts',
    'logger.ts',
  ],
  'index-source.ts': [...ENGINE, 'storage/store.ts'],
  'index-jobs.ts': [...ENGINE, 'index-source.ts', 'index-thread.ts', 'open-store.ts'],
  'listen.ts': ['api', 'config.ts', 'kernel'],
  // Puts several services together to one, and is what each of them is given of the others.
  workers: [
    ...ENGINE,
    'api',
    'config.ts',
    'index-jobs.ts',
    'index-source.ts',
    'listen.ts',
    'logger.ts',
    'open-store.ts',
    'service.ts',
  ],
  'leased-expiry.ts': ['kernel', 'changes', 'storage/store.ts'],
  'setting-values.ts': ['kernel'],
  'settings.ts': ['setting-values.ts'],
  'config.ts': ['kernel', 'settings.ts', 'setting-values.ts'],
  'logger.ts': ['kernel', 'setting-values.ts'],
  'main.ts': ['cli', 'config.ts', 'kernel'],
};

/** The only files that choose adapters: two open the store and the catalog, one indexes it, one serves it. */
const COMPOSITION_ROOTS = ['open-store.ts', 'house.ts', 'index-thread.ts', 'service.ts'];

/** What only some may do, and the reason that a newcomer is told. */
const RESERVED: readonly { pattern: RegExp; allowed: RegExp; reason: string }[] = [
  {
    pattern: /\bprocess\.env\b|\benv\b[^;]*\bfrom 'node:process'/,
    allowed: /^src\/config\.ts$/,
    reason: 'only config.ts reads the environment',
  },
  {
    pattern: /\bprocess\.(?:exit|exitCode|abort|kill|reallyExit)\b/,
    allowed: /^src\/main\.ts$/,
    reason: 'only main.ts ends the process',
  },
  {
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)/,
    allowed: /^src\/kernel\/clock\.ts$/,
    reason: 'only the clock reads the time',
  },
  {
    pattern: /\benum\s+\w+\s*\{|\bnamespace\s+\w+\s*\{/,
    allowed: /^$/,
    reason: 'erasable syntax only',
  },
];

/** Packages that only one layer may know, by the beginning of their name. */
const PACKAGES: readonly { name: RegExp; allowed: RegExp }[] = [
  { name: /^(?:@?fastify|@scalar)(?:\/|$)/, allowed: /^src\/api\// },
  { name: /^node:sqlite$/, allowed: /^src\/storage\/sqlite\// },
  { name: /^pg(?:-|$)/, allowed: /^src\/storage\/postgres\// },
  { name: /^@?redis(?:\/|$)/, allowed: /^src\/storage\/redis\// },
  { name: /^commander$/, allowed: /^src\/cli\// },
  { name: /^jose(?:\/|$)/, allowed: /^src\/access\// },
  { name: /^@(?:aws-sdk|smithy)\//, allowed: /^src\/storage\/s3\// },
  { name: /^pino$/, allowed: /^src\/logger\.ts$/ },
];

/** Every place where the files of `src/` break the layers; one line each. */
export function brokenBoundaries(files: readonly SourceFile[]): string[] {
  return [...files.flatMap(brokenArrows), ...files.flatMap(brokenReserves), ...cycles(files)];
}

function brokenArrows(file: SourceFile): string[] {
  const from = layerOf(file.path);
  const broken: string[] = [];
  for (const target of importsOf(file)) {
    const reserved = PACKAGES.find(({ name }) => name.test(target));
    if (reserved !== undefined && !reserved.allowed.test(file.path)) {
      broken.push(`${file.path} imports ${target}, which is for ${reserved.allowed.source}`);
    }
    if (!isOurs(target) || COMPOSITION_ROOTS.includes(from) || mayImport(from, target)) {
      continue;
    }
    broken.push(`${file.path} imports ${target}, which ${from} may not`);
  }
  return broken;
}

function brokenReserves({ path, text }: SourceFile): string[] {
  const code = withoutComments(text);
  return RESERVED.filter(({ pattern, allowed }) => pattern.test(code) && !allowed.test(path)).map(
    ({ reason }) => `${path}: ${reason}`,
  );
}

/** Files that import one another in a circle; types count, for a circle of types is one idea torn apart. */
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

function mayImport(from: string, target: string): boolean {
  const layer = layerOf(target);
  const allowed = [from, ...(MAY_IMPORT[from] ?? [])];
  return allowed.some((one) => one === layer || target === one || target === `src/${one}`);
}

/** The folder within `src/`, or the file where it lies at the top. */
function layerOf(path: string): string {
  return path.replace(/^src\//, '').split('/')[0]!;
}

function isOurs(target: string): boolean {
  return /^(?:src|test|bench|scripts|examples)\/|^package\.json$|^\.\./.test(target);
}
