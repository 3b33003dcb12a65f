/** The base of the image: a few packages of Debian, without a shell and a package manager. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ReleaseError, run, sha256Of } from './build.ts';
import { ARCHITECTURES, type Processor } from './packages.ts';

/** What Node needs, what names the distribution, and the authorities for `sslrootcert=/etc/ssl/certs/ca-certificates.crt`. */
const NAMES = ['base-files', 'ca-certificates', 'gcc-12-base', 'libc6', 'libgcc-s1', 'libstdc++6'];

/** The packages of which an image of this commit consists, for the same image whenever it is built. */
const PINS = join(import.meta.dirname, 'debian-packages.json');

export interface DebianPackage {
  name: string;
  architecture: string;
  version: string;
  sha256: string;
}

/** What of the packages the image contains: libraries without converters of character sets, and texts of licenses. */
const KEPT =
  /^(usr\/)?lib(64)?\/(?!.*\/gconv\/).*\.so\b|^usr\/lib\/os-release$|^etc\/(os-release|debian_version|host\.conf)$|^usr\/share\/(common-licenses\/|doc\/[^/]+(\/copyright)?$)/;

/** The user of the image. Its home is where it may write. */
export const USER = 10001;

const FILES = {
  'etc/passwd': `root:x:0:0:root:/root:/sbin/nologin\nstave:x:${USER}:${USER}:stave:/data:/sbin/nologin\n`,
  'etc/group': `root:x:0:\nstave:x:${USER}:\n`,
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/**
 * Makes the root file systems of the image, from the sources of apt on this machine.
 * @param work an empty folder.
 * @returns a folder for each processor.
 */
export function debianRoots(work: string): Record<Processor, string> {
  const pins = debianPackages();
  const files = download(pins, work);
  const roots = { x64: join(work, 'x64'), arm64: join(work, 'arm64') };
  for (const [processor, root] of Object.entries(roots)) {
    const wanted = [ARCHITECTURES[processor as Processor], 'all'];
    const chosen = pins.filter(({ architecture }) => wanted.includes(architecture));
    for (const one of chosen) unpack(one.name, files.get(one.sha256)!, root);
    for (const folder of ['data', 'dev', 'proc', 'run', 'sys', 'tmp']) {
      mkdirSync(join(root, folder));
    }
    chmodSync(join(root, 'tmp'), 0o1777);
    for (const [path, text] of Object.entries(FILES)) writeFileSync(join(root, path), text);
  }
  return roots;
}

/** The packages of which the image of this commit consists. */
export function debianPackages(): DebianPackage[] {
  return JSON.parse(readFileSync(PINS, 'utf8'));
}

/** Pins the newest packages that apt finds. Returns those that are new. */
export function pinNewest(work: string): DebianPackage[] {
  const before = new Set(debianPackages().map(({ sha256 }) => sha256));
  const newest = newestPackages(aptFor(work));
  writeFileSync(PINS, `${JSON.stringify(newest, undefined, 2)}\n`);
  return newest.filter(({ sha256 }) => !before.has(sha256));
}

/** Downloads the packages. Returns their paths by SHA-256. */
function download(pins: readonly DebianPackage[], work: string): Map<string, string> {
  const apt = aptFor(work);
  const offered = new Set(newestPackages(apt).map(({ sha256 }) => sha256));
  const gone = pins.filter(({ sha256 }) => !offered.has(sha256));
  if (gone.length > 0) {
    const names = gone.map(({ name, version }) => `${name} ${version}`).join(', ');
    throw new ReleaseError(
      `Debian has replaced ${names}: run \`npm run release -- --update-debian\`, and commit what it changes`,
    );
  }
  const words = pins.map((one) => `${one.name}:${one.architecture}=${one.version}`);
  apt('apt-get', ['--quiet', 'download', ...words.map((word) => word.replace(':all', ''))]);
  return new Map(
    readdirSync(work)
      .filter((name) => name.endsWith('.deb'))
      .map((name) => join(work, name))
      .map((path) => [sha256Of(path), path]),
  );
}

type Apt = (program: string, words: readonly string[]) => string;

/** Returns the programs of apt, with lists of both processors in a folder of their own. */
function aptFor(work: string): Apt {
  const state = join(work, 'apt');
  for (const folder of ['lists/partial', 'archives/partial']) {
    mkdirSync(join(state, folder), { recursive: true });
  }
  const configuration = join(state, 'apt.conf');
  writeFileSync(
    configuration,
    `APT::Architectures { ${Object.values(ARCHITECTURES)
      .map((one) => `"${one}";`)
      .join(' ')} };
Dir::State::lists "${join(state, 'lists')}";
Dir::State::status "/dev/null";
Dir::Cache "${state}";
Acquire::Languages "none";
APT::Sandbox::User "root";
`,
  );
  const apt: Apt = (program, words) =>
    run(work, program, [`--config-file=${configuration}`, ...words]);
  apt('apt-get', ['--quiet', 'update']);
  return apt;
}

function newestPackages(apt: Apt): DebianPackage[] {
  const words = NAMES.flatMap((name) =>
    Object.values(ARCHITECTURES).map((architecture) => `${name}:${architecture}`),
  );
  const found = apt('apt-cache', ['show', '--no-all-versions', ...words])
    .split('\n\n')
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(paragraph)![1]!;
      const [name, architecture, version] = ['Package', 'Architecture', 'Version'].map(field);
      return {
        name: name!,
        architecture: architecture!,
        version: version!,
        sha256: field('SHA256'),
      };
    });
  // A package for all processors is found for each.
  return found.filter((one, i) => found.findIndex(({ sha256 }) => sha256 === one.sha256) === i);
}

/** Copies what is kept of a package, and what scanners for known faults read of it. */
function unpack(name: string, file: string, root: string): void {
  const unpacked = `${root}.${name}`;
  run('.', 'dpkg-deb', ['--extract', file, unpacked]);
  const kept = readdirSync(unpacked, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(unpacked.length + 1))
    .filter((path) => KEPT.test(path));
  mkdirSync(root, { recursive: true });
  if (kept.length > 0) run(unpacked, 'cp', ['--parents', '--no-dereference', ...kept, root]);
  const authorities = join(unpacked, 'usr/share/ca-certificates/mozilla');
  if (existsSync(authorities)) {
    const certificates = readdirSync(authorities)
      .sort()
      .map((one) => `${readFileSync(join(authorities, one), 'utf8').trim()}\n`);
    mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true });
    writeFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), certificates.join(''));
  }
  rmSync(unpacked, { recursive: true });
  const status = join(root, 'var/lib/dpkg/status.d');
  mkdirSync(status, { recursive: true });
  writeFileSync(join(status, name), run('.', 'dpkg-deb', ['--field', file]));
}
