import { COMPOSITION_ROOTS, MAY_IMPORT } from './allowed-imports.ts';
import { importsOf, type SourceFile, withoutComments } from './source.ts';

/** Operations that only some files may do, with the reason that the guard reports. */
const RESERVED: readonly { pattern: RegExp; allowed: RegExp; reason: string }[] = [
  {
    pattern: /\bprocess\.env\b|\benv\b[^;]*\bfrom 'node:process'/,
    allowed: /^src\/app\/config\/config\.ts$/,
    reason: 'only config.ts reads the environment',
  },
  {
    pattern: /\bprocess\.(?:exit|exitCode|abort|reallyExit)\b/,
    allowed: /^src\/main\.ts$/,
    reason: 'only main.ts ends the process',
  },
  {
    // The thread of renditions ends the ffmpeg that it started, and the console ends the processes of its jobs with the
    // readers that they started. They would outlive it. A reader of tags ends with the process that started it.
    pattern: /\bprocess\.kill\b/,
    allowed:
      /^src\/(?:main|features\/(?:renditions\/rendition-thread|import\/audio\/tag-worker)|operator\/console\/jobs\/(?:jobs|job-process))\.ts$/,
    reason: 'only main.ts ends the process, and no other one is sent signals',
  },
  {
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)/,
    // The client library and the picker run in partners' programs and pages, which have no clock of Stave.
    allowed: /^src\/common\/clock\.ts$|^packages\/(?:sdk|picker)\//,
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
  {
    name: /^(?:@?fastify|@scalar)(?:\/|$)/,
    allowed: /^src\/(?:engines\/http|features\/[\w-]+\/routes|docs-site|operator\/console)\//,
  },
  { name: /^node:sqlite$/, allowed: /^src\/engines\/sql\/sqlite\// },
  { name: /^pg(?:-|$)/, allowed: /^src\/engines\/sql\/postgres\// },
  { name: /^ioredis$/, allowed: /^src\/engines\/limits\/redis\// },
  { name: /^@modelcontextprotocol\//, allowed: /^src\/mcp\// },
  { name: /^commander$/, allowed: /^src\/operator\/cli\// },
  { name: /^jose(?:\/|$)/, allowed: /^src\/features\/access\// },
  { name: /^@(?:aws-sdk|smithy)\//, allowed: /^src\/engines\/blobs\/s3\// },
  { name: /^ipaddr\.js$/, allowed: /^src\/engines\/(?:net|http)\// },
  { name: /^pino$/, allowed: /^src\/app\/open\/logger\.ts$/ },
  { name: /^@stave\/demo-catalog$/, allowed: /^src\/features\/demo\// },
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
