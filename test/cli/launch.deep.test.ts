import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment, MAIN, temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';

const ROOT = dirname(dirname(MAIN));
const STAVE = join(ROOT, 'bin', 'stave');
/** Scripts that replace the programs of this machine. */
const OLD_NODE = 'echo v18.20.8';
const MACOS = 'echo Darwin arm64';
const OTHER_LINUX = 'echo Linux riscv64';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Makes a checkout like a clone, without node_modules. */
function clone(): string {
  const folder = emptyFolder();
  for (const path of ['bin', 'packages', 'scripts', 'src', 'package.json', 'package-lock.json']) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  return folder;
}

/** Returns the environment of a machine with these programs. */
function machine(programs: Record<string, string>): NodeJS.ProcessEnv {
  const folder = emptyFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return { ...environment(join(folder, 'data')), PATH: `${folder}:/usr/bin:/bin` };
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stave-launch-'));
  folders.push(folder);
  return folder;
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv, input = '') {
  return spawnSync(command, args, { env, input, encoding: 'utf8' });
}

const ownNode = `exec ${process.execPath} "$@"`;

describe('bin/stave', () => {
  it('runs through a chain of links, with the installed Node on any machine', () => {
    const folder = emptyFolder();
    symlinkSync(STAVE, join(folder, 'one'));
    symlinkSync(join(folder, 'one'), join(folder, 'stave'));
    const ran = run(join(folder, 'stave'), ['doctor'], machine({ node: OLD_NODE }));
    expect(ran.stdout).toContain(`node: Node ${process.versions.node}`);
  });

  it('becomes one process, which receives the signals and sets the exit code', async () => {
    using folder = temporaryFolder();
    const child = spawn(STAVE, ['serve', '--json'], {
      env: environment(folder.path),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const ended = once(child, 'close');
      let stdout = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        stdout += text;
      });
      await until(() => stdout.includes('\n'), 'the service to listen');
      expect(readlinkSync(`/proc/${child.pid}/exe`)).toMatch(/node$/);
      const { address } = JSON.parse(stdout);
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      await expect(fetch(`${address}/version`)).rejects.toThrow();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('passes the input and the exit code on', () => {
    const withNode = join(ROOT, 'scripts', 'with-node');
    const ran = run(withNode, ['sh', '-c', 'cat; exit 7'], machine({}), 'typed input');
    expect([ran.stdout, ran.status]).toEqual(['typed input', 7]);
    expect(run(STAVE, ['nonsense'], machine({})).status).toBe(1);
  });
});

describe('before the installation', () => {
  let checkout: string;
  beforeAll(() => {
    checkout = clone();
  });

  it.each([
    ['an old Node', { node: OLD_NODE }],
    ['no Node', { node: 'exit 127' }],
    ['Node 24', { node: ownNode }],
  ])('stave says in one line how to install it, on a machine with %s', (_, programs) => {
    const ran = run(join(checkout, 'bin', 'stave'), ['doctor'], machine(programs));
    expect(ran.stderr).toMatch(/^stave: the packages are not installed; run `npm ci` in .+\n$/);
    expect([ran.stdout, ran.status]).toEqual(['', 1]);
  });
});

describe('without a Node package for the machine', () => {
  it.each([MACOS, OTHER_LINUX])('%s: uses the Node 24 of the machine', (uname) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'node'), `#!/bin/sh\necho "own Node" >&2\n${ownNode}\n`, {
      mode: 0o755,
    });
    const env = machine({ uname });
    const ran = run(STAVE, ['--version'], { ...env, PATH: `${folder}:${env.PATH}` });
    expect(ran.stderr).toContain('own Node');
    expect(ran.status).toBe(0);
  });

  it.each([
    ['an older one', OLD_NODE, 'v18.20.8'],
    ['none', 'exit 127', 'none'],
  ])('%s: fails in one line', (_, node, named) => {
    const ran = run(STAVE, ['--version'], machine({ uname: MACOS, node }));
    expect(ran.stderr).toBe(
      `stave: needs Node 24 or later; this machine (Darwin arm64) has ${named}: install it from https://nodejs.org\n`,
    );
    expect([ran.stdout, ran.status]).toEqual(['', 1]);
  });
});

describe('scripts/ensure-installed.mjs', () => {
  /** Makes a checkout with some packages installed. Returns a function that returns the arguments npm is called with. */
  function installed(without: (entry: { dev?: boolean }, path: string) => boolean) {
    const checkout = clone();
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    const present = Object.entries<{ dev?: boolean }>(packages).filter(
      ([path, entry]) => path !== '' && !without(entry, path),
    );
    mkdirSync(join(checkout, 'node_modules'));
    writeFileSync(
      join(checkout, 'node_modules', '.package-lock.json'),
      JSON.stringify({ packages: Object.fromEntries(present) }),
    );
    const npm = join(checkout, 'npm.mjs');
    writeFileSync(npm, "console.error('npm', process.argv.slice(2).join(' '));");
    return (...args: string[]) => {
      const env = { ...process.env, npm_execpath: npm };
      return run(
        process.execPath,
        [join(checkout, 'scripts/ensure-installed.mjs'), ...args],
        env,
      ).stderr.match(/^npm .*/m)?.[0];
    };
  }

  it('keeps an installation without development packages for npm start', () => {
    expect(installed(({ dev }) => dev === true)('--omit=dev')).toBeUndefined();
  });

  it('installs the development packages for all other commands', () => {
    expect(installed(({ dev }) => dev === true)()).toMatch(/^npm ci --include=dev /);
  });

  it('updates an older installation without adding development packages', () => {
    let isFirst = true;
    const outdated = installed(({ dev }) => {
      if (dev) return true;
      const isLeftOut = isFirst;
      isFirst = false;
      return isLeftOut;
    });
    expect(outdated('--omit=dev')).toMatch(/^npm ci --omit=dev /);
  });

  it('installs packages that npm omitted on an older Node', () => {
    expect(installed((_entry, path) => path.includes('rolldown/binding-linux'))()).toMatch(
      /^npm ci --include=dev /,
    );
  });

  it('links the packages of the repository', () => {
    expect(installed((_entry, path) => path === 'node_modules/@stave/demo-catalog')()).toMatch(
      /^npm ci --include=dev /,
    );
  });

  it('installs no development packages to start after a clone', () => {
    expect(installed(() => true)('--omit=dev')).toMatch(/^npm ci --omit=dev /);
  });

  it('keeps the development packages when it updates an installation to start', () => {
    const outdated = installed((_entry, path) => path === 'node_modules/fastify');
    expect(outdated('--omit=dev')).toMatch(/^npm ci --no-audit /);
  });

  it('installs everything for all other commands, and nothing a second time', () => {
    expect(installed(() => true)()).toMatch(/^npm ci --include=dev /);
    expect(installed(() => false)()).toBeUndefined();
  });
});

describe('scripts/ensure-built.mjs', () => {
  const script = join('scripts', 'ensure-built.mjs');
  const sources = [
    'web/explorer',
    'web/shared',
    'packages/picker',
    'web/build.ts',
    'web/tsconfig.json',
    'tsconfig.json',
  ];

  /** Makes a checkout with the sources of the explorer, and the packages of this one if `isInstalled`. */
  function checkout(isInstalled: boolean) {
    const folder = clone();
    for (const path of sources) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    if (isInstalled) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const page = join(folder, 'web', 'dist', 'index.html');
    const build = (...args: string[]) =>
      run(process.execPath, [join(folder, script), ...args], process.env);
    return { folder, page, build };
  }

  it('builds once, again after a change of a source, and keeps the build if that fails', () => {
    const { folder, page, build } = checkout(true);
    expect(build()).toMatchObject({ status: 0, stderr: 'stave: building the explorer …\n' });
    const built = readFileSync(page, 'utf8');
    expect(built).toContain('assets/');
    expect(existsSync(join(folder, 'web/dist/stave-client.tgz'))).toBe(true);
    expect(build()).toMatchObject({ status: 0, stderr: '' });

    const later = new Date(Date.now() + 5_000);
    writeFileSync(join(folder, 'web/explorer/main.tsx'), 'this is no script');
    utimesSync(join(folder, 'web/explorer/main.tsx'), later, later);
    const failed = build();
    expect(failed.status).toBe(0);
    expect(failed.stderr).toMatch(/could not be built; run `npm run build`\n$/);
    expect(readFileSync(page, 'utf8')).toBe(built);
    expect(build('--always').status).toBe(1);
    expect(readdirSync(join(folder, 'web'))).not.toContainEqual(expect.stringMatching(/^dist-/));
  });

  it('builds the explorer if the client library cannot be packed', () => {
    const { folder, page, build } = checkout(true);
    appendFileSync(
      join(folder, 'packages/sdk/src/index.ts'),
      "export const n = String('without a type');\n",
    );
    const { status, stderr } = build();
    expect(status).toBe(0);
    expect(stderr).toMatch(/the client library could not be packed: .+run `npm run build`\n$/s);
    expect([existsSync(page), existsSync(join(folder, 'web/dist/stave-client.tgz'))]).toEqual([
      true,
      false,
    ]);
  });

  it('says in one line how to build without the packages for it', () => {
    const { page, build } = checkout(false);
    const { status, stderr } = build();
    expect(status).toBe(0);
    expect(stderr).toMatch(/^stave: the explorer is not built; `npm run build` .+\n$/);
    expect(existsSync(page)).toBe(false);
  });
});
