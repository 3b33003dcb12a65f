import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../harness/cli.ts';
import { SERVICES_REQUIRED } from '../harness/services.ts';

/** The files of `npm run release`. */
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
/** The image in them; undefined if there is none. */
export const IMAGE = archiveIn(DIST);

const PROGRAMS = ['skopeo', 'umoci', 'crun', 'unshare'];

/** Whether the image is built and can be run here; prints a message if not, or fails if services are required. */
export const canRunImage = findsAll();

/** An image that is unpacked on this machine. */
export interface Image {
  root: string;
  /** The configuration of a container of it, by the runtime specification of OCI, as umoci makes it of the image. */
  runtime: Json;
  /** The configuration of the image. */
  config: Json;
}

/** What a container gets besides the image. */
export interface ContainerOptions {
  /** An empty folder. */
  folder: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Folders of this machine by the path at which the container has them; those below /etc are read-only. */
  mounts: Readonly<Record<string, string>>;
}

export interface Container {
  child: ChildProcess;
  output(): string;
  /** Resolves to the exit code. */
  ended: Promise<number | null>;
  /** Runs a command in the container, as its user. */
  exec(...words: string[]): { status: number | null; stdout: string; stderr: string };
}

/** Unpacks the image for this processor by tools that did not make it. */
export function unpackImage(archive: string, folder: string): Image {
  const layout = join(folder, 'layout');
  run('skopeo', ['copy', '--quiet', `oci-archive:${archive}`, `oci:${layout}:stave`]);
  const bundle = join(folder, 'bundle');
  run('umoci', ['unpack', '--image', `${layout}:stave`, bundle]);
  return {
    root: join(bundle, 'rootfs'),
    runtime: JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8')),
    config: JSON.parse(run('skopeo', ['inspect', '--config', '--raw', `oci:${layout}:stave`])),
  };
}

/** Makes a folder for a container, as a volume: of root, and writable for the group of the container (fsGroup of Kubernetes). */
export function volume(path: string, group: number): string {
  mkdirSync(path);
  chownSync(path, 0, group);
  chmodSync(path, 0o2770);
  return path;
}

/** Starts a container with a read-only root, no capability, a file system in memory at /tmp, and the network of this machine. */
export function startContainer(image: Image, options: ContainerOptions): Container {
  const { folder, args, env = {}, mounts } = options;
  const { runtime } = image;
  const none = Object.fromEntries(
    Object.keys(runtime.process.capabilities).map((set) => [set, []]),
  );
  const own = Object.entries(mounts).map(([destination, source]) => ({
    ...{ destination, source, type: 'bind' },
    options: ['rbind', destination.startsWith('/etc/') ? 'ro' : 'rw'],
  }));
  const memory = { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['mode=1777'] };
  const isReplaced = ({ destination }: Json) => destination === '/tmp' || destination in mounts;
  const config = {
    ...runtime,
    process: {
      ...runtime.process,
      terminal: false,
      args: [...image.config.config.Entrypoint, ...(args ?? image.config.config.Cmd)],
      env: [...runtime.process.env, ...Object.entries(env).map((pair) => pair.join('='))],
      capabilities: none,
    },
    root: { path: image.root, readonly: true },
    mounts: [...runtime.mounts.filter((one: Json) => !isReplaced(one)), memory, ...own],
    linux: {
      ...runtime.linux,
      namespaces: runtime.linux.namespaces.filter(({ type }: Json) => type !== 'network'),
    },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));

  const id = `stave-${process.pid}-${++containers}`;
  const words = inCgroup(folder, ['run', '--bundle', folder, id]);
  const child = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const { uid, gid } = runtime.process.user;
  const asUser = ['exec', '--user', `${uid}:${gid}`, id];
  return {
    child,
    output: () => output,
    ended: new Promise((resolve) => child.once('close', resolve)),
    exec: (...command) =>
      spawnSync('unshare', inCgroup(folder, [...asUser, ...command]), { encoding: 'utf8' }),
  };
}

let containers = 0;

/**
 * Returns the words for `unshare` that run crun. It refuses machines that have both versions of cgroups, so it gets a
 * file system of version 2 alone, and makes no group.
 */
function inCgroup(folder: string, words: readonly string[]): string[] {
  const script = 'mount -t cgroup2 none /sys/fs/cgroup && exec crun "$@"';
  const options = ['--cgroup-manager=disabled', '--root', join(folder, 'state')];
  return ['--mount', 'sh', '-c', script, 'crun', ...options, ...words];
}

function run(program: string, words: readonly string[]): string {
  return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function archiveIn(folder: string): string | undefined {
  const name = existsSync(folder) && readdirSync(folder).find((one) => one.endsWith('-oci.tar'));
  return name ? join(folder, name) : undefined;
}

function findsAll(): boolean {
  const missing = PROGRAMS.filter((one) => spawnSync(one, ['--version']).status !== 0);
  if (process.getuid?.() !== 0) missing.push('root');
  if (IMAGE === undefined) missing.push('dist/, by `npm run release`');
  if (missing.length === 0) return true;
  const message = `the tests of the image need ${missing.join(', ')}`;
  if (SERVICES_REQUIRED) throw new Error(message);
  process.stderr.write(`SKIPPED: ${message}.\n`);
  return false;
}
