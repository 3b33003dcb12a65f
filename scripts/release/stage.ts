/** Makes the files that run, which are the same in the npm package, in the archives and in the image. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { NODE_PACKAGES, packagesOf } from './packages.ts';

/** The folder of the only package of the repository that is imported by its name. */
const DEMO = 'node_modules/@stave/demo-catalog';
/** What of the repository a release contains: files, and folders with all that is in them. */
const SHIPPED = [
  ...['.env.example', 'CHANGELOG.md', 'LICENSE', 'NOTICE', 'README.md', 'SECURITY.md'],
  ...['bin', 'compose.yaml', 'deploy', 'docs', 'scripts/with-node', 'src'],
  ...['packages/demo-catalog/src', 'packages/sdk/README.md', 'packages/sdk/src'],
];
const NOT_SHIPPED =
  /\.(test|test-support)\.ts$|^docs\/(adr|images)\/|^docs\/reference\/openapi\.json$/;
/** What only compilers, debuggers and tests of packages read. */
const DEVELOPMENT = /\.([cm]?ts|map|flow|tsbuildinfo)$|\.test(-d)?\.[cm]?js$/;
/** Folders of packages that their modules do not need. */
const DEVELOPMENT_FOLDERS = [
  '.github',
  'benchmark',
  'benchmarks',
  'example',
  'examples',
  'test',
  'tests',
];
/** The extension of a module in TypeScript, at the end of a relative path in quotes. */
const EXTENSION = /(?<=(['"`])\.{1,2}\/[\w./-]+)\.ts(?=\1)/g;

/**
 * Fills the folder with all that Stave needs besides Node. The paths are those of the repository, except that modules are
 * JavaScript, because Node removes no types in `node_modules`. Types become spaces, so that lines and columns stay.
 * @param source a checkout, with its installed packages and what `npm run build` makes.
 * @returns the names of all packages that are parts of it, also of those that are parts of the explorer.
 */
export function stage(source: string, folder: string): string[] {
  for (const path of SHIPPED.flatMap((one) => filesIn(source, one))) {
    if (!NOT_SHIPPED.test(path)) ship(source, path, folder);
  }
  for (const path of ['web/dist', 'node_modules/.stave']) {
    cpSync(join(source, path), join(folder, path), { recursive: true });
  }
  const manifest = readJson(join(source, 'package.json'));
  const imported = runtimeDependencies(manifest, source);
  for (const { path } of packagesOf(source, Object.keys(imported))) {
    if (path === DEMO) continue;
    const from = join(source, path);
    // A package in the folder of another one is in the list as well.
    const left = ['node_modules', ...DEVELOPMENT_FOLDERS].map((one) => join(from, one));
    cpSync(from, join(folder, path), {
      recursive: true,
      filter: (file) => !DEVELOPMENT.test(file) && !left.includes(file),
    });
  }
  const { name, version, description, license, type, bin, imports } = manifest;
  writeJson(join(folder, 'package.json'), {
    // `private` stays: it is installed from the file, and the project has reserved no name on a public registry.
    ...{ name, version, description, license, private: true, type, bin },
    imports: asJavaScript(imports),
    engines: { node: '>=24' },
    dependencies: imported,
    bundleDependencies: Object.keys(imported),
  });
  const demo = readJson(join(source, 'packages/demo-catalog/package.json'));
  writeJson(join(folder, DEMO, 'package.json'), asJavaScript(demo));
  return [
    ...Object.keys(imported),
    ...namedIn(source, ['web/explorer', 'web/shared'], Object.keys(manifest.dependencies)),
    // They are bundled: bin/bundles.mjs.
    ...Object.keys(manifest.devDependencies).filter((one) => one.startsWith('@opentelemetry/')),
  ];
}

function ship(source: string, path: string, folder: string): void {
  const to = join(folder, path.replace('packages/demo-catalog', DEMO));
  const from = join(source, path);
  mkdirSync(dirname(to), { recursive: true });
  if (path.endsWith('.ts')) {
    const code = stripTypeScriptTypes(readFileSync(from, 'utf8'));
    writeFileSync(to.replace(/\.ts$/, '.js'), asJavaScript(code));
  } else if (path.endsWith('.mjs')) {
    writeFileSync(to, asJavaScript(readFileSync(from, 'utf8')));
  } else {
    cpSync(from, to);
  }
}

/**
 * Returns the dependencies that the shipped modules name, with their versions. The others are for `npm run build`.
 */
function runtimeDependencies(
  manifest: Record<'dependencies' | 'optionalDependencies', Record<string, string>>,
  source: string,
): Record<string, string> {
  const { dependencies, optionalDependencies } = manifest;
  const named = namedIn(
    source,
    ['bin', 'deploy', 'packages/demo-catalog/src', 'src'],
    Object.keys(dependencies),
  );
  const nodes: string[] = Object.values(NODE_PACKAGES);
  return {
    ...Object.fromEntries(named.map((name) => [name, dependencies[name]!])),
    ...Object.fromEntries(
      Object.entries(optionalDependencies).filter(([name]) => !nodes.includes(name)),
    ),
  };
}

/** Returns those of the packages that modules in the folders name in a string. */
function namedIn(source: string, folders: readonly string[], names: readonly string[]): string[] {
  const texts = folders
    .flatMap((one) => filesIn(source, one))
    .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !NOT_SHIPPED.test(path))
    .map((path) => readFileSync(join(source, path), 'utf8'));
  return names.filter((name) =>
    ["'", '"', '`'].some((quote) =>
      texts.some(
        (text) => text.includes(quote + name + quote) || text.includes(`${quote}${name}/`),
      ),
    ),
  );
}

/** Returns the paths of the files in a folder, or the path of a file. */
function filesIn(source: string, path: string): string[] {
  if (!statSync(join(source, path)).isDirectory()) return [path];
  return readdirSync(join(source, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(source.length + 1));
}

/** Names the JavaScript of each module. */
function asJavaScript<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll(EXTENSION, '.js') as T;
  return JSON.parse(asJavaScript(JSON.stringify(value)));
}

function readJson(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}
